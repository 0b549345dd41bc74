CREATE TABLE "app_forks" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" uuid NOT NULL,
	"lane" text NOT NULL,
	"version_id" text NOT NULL,
	"operation_id" text NOT NULL,
	"subdomain" text,
	"bootstrap" jsonb,
	"run_id" text,
	"price" bigint NOT NULL,
	"status" text NOT NULL,
	"release_id" text,
	"error" jsonb,
	"due_at" timestamp (3) with time zone,
	"lease" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "app_versions" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"number" integer NOT NULL,
	"release_id" text NOT NULL,
	"name" text NOT NULL,
	"description" text,
	"tags" text[] NOT NULL,
	"visibility" text NOT NULL,
	"fork_allowed" boolean NOT NULL,
	"fork_price" bigint NOT NULL,
	"min_tier" text NOT NULL,
	"required_secrets" jsonb NOT NULL,
	"required_actions" jsonb NOT NULL,
	"bootstrap_variables" jsonb,
	"contents" jsonb NOT NULL,
	"status" text NOT NULL,
	"manifest_sha256" text,
	"manifest_bytes" bigint,
	"error" jsonb,
	"due_at" timestamp (3) with time zone,
	"lease" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE INDEX "app_forks_version_idx" ON "app_forks" USING btree ("version_id") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "app_forks_due_idx" ON "app_forks" USING btree ("due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "app_forks_lane_idx" ON "app_forks" USING btree ("lane","due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "app_forks_failed_idx" ON "app_forks" USING btree ("updated_at") WHERE status = 'failed';--> statement-breakpoint
CREATE UNIQUE INDEX "app_versions_number_uq" ON "app_versions" USING btree ("project_id","number");--> statement-breakpoint
CREATE INDEX "app_versions_newest_idx" ON "app_versions" USING btree ("project_id","created_at","id");--> statement-breakpoint
CREATE INDEX "app_versions_listed_idx" ON "app_versions" USING btree ("created_at","id") WHERE visibility = 'public' and fork_allowed and status = 'published' and deleted_at is null;--> statement-breakpoint
CREATE INDEX "app_versions_due_idx" ON "app_versions" USING btree ("due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "app_versions_lane_idx" ON "app_versions" USING btree ("project_id","due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "app_versions_deleted_idx" ON "app_versions" USING btree ("deleted_at") WHERE deleted_at is not null;