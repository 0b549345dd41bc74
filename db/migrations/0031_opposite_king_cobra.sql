CREATE TABLE "archive_imports" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" uuid NOT NULL,
	"lane" text NOT NULL,
	"project_id" text NOT NULL,
	"operation_id" text NOT NULL,
	"project_name" text NOT NULL,
	"archive_sha256" text NOT NULL,
	"archive_digest" text NOT NULL,
	"status" text NOT NULL,
	"due_at" timestamp (3) with time zone,
	"lease" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"release_id" text,
	"required_secrets" jsonb NOT NULL,
	"diagnostics" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "project_archives" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"operation_id" text NOT NULL,
	"status" text NOT NULL,
	"auth_export" text NOT NULL,
	"consistency_mode" text NOT NULL,
	"due_at" timestamp (3) with time zone,
	"lease" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"active_release_id" text,
	"digest" text,
	"sha256" text,
	"byte_count" bigint,
	"consistency" jsonb,
	"export_report" jsonb,
	"portability_report" jsonb,
	"error" jsonb,
	"started_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"completed_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE INDEX "archive_imports_project_idx" ON "archive_imports" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "archive_imports_due_idx" ON "archive_imports" USING btree ("due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "archive_imports_lane_idx" ON "archive_imports" USING btree ("lane","due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "archive_imports_over_idx" ON "archive_imports" USING btree ("updated_at") WHERE due_at is null;--> statement-breakpoint
CREATE INDEX "project_archives_newest_idx" ON "project_archives" USING btree ("project_id","created_at","id");--> statement-breakpoint
CREATE INDEX "project_archives_due_idx" ON "project_archives" USING btree ("due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "project_archives_lane_idx" ON "project_archives" USING btree ("project_id","due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "project_archives_expiry_idx" ON "project_archives" USING btree ("expires_at");