CREATE TABLE "deploy_events" (
	"org_id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"position" bigint NOT NULL,
	"operation_id" text NOT NULL,
	"event" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "deploy_events_org_id_project_id_position_pk" PRIMARY KEY("org_id","project_id","position")
);
--> statement-breakpoint
CREATE TABLE "deploy_operations" (
	"org_id" uuid NOT NULL,
	"id" text NOT NULL,
	"project_id" text NOT NULL,
	"plan_id" text,
	"kind" text NOT NULL,
	"status" text NOT NULL,
	"base_release_id" text,
	"target_release_id" text,
	"release_id" text,
	"generation" bigint,
	"urls" jsonb,
	"error" jsonb,
	"actor" jsonb,
	"activate_attempts" integer DEFAULT 0 NOT NULL,
	"last_activate_attempt_at" timestamp (3) with time zone,
	"attempt" integer DEFAULT 0 NOT NULL,
	"lease_until" timestamp (3) with time zone,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "deploy_operations_org_id_id_pk" PRIMARY KEY("org_id","id")
);
--> statement-breakpoint
CREATE TABLE "deploy_plans" (
	"org_id" uuid NOT NULL,
	"id" text NOT NULL,
	"project_id" text NOT NULL,
	"operation_id" text NOT NULL,
	"spec" jsonb NOT NULL,
	"manifest_digest" text NOT NULL,
	"request_key" text DEFAULT '' NOT NULL,
	"base_release_id" text,
	"fingerprint" text,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "deploy_plans_org_id_id_pk" PRIMARY KEY("org_id","id")
);
--> statement-breakpoint
CREATE TABLE "live_releases" (
	"org_id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"release_id" text,
	"generation" bigint DEFAULT 0 NOT NULL,
	"changed_at" timestamp (3) with time zone,
	"gated_by" text,
	CONSTRAINT "live_releases_org_id_project_id_pk" PRIMARY KEY("org_id","project_id")
);
--> statement-breakpoint
CREATE TABLE "release_parts" (
	"org_id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"digest" text NOT NULL,
	"bytes" "bytea" NOT NULL,
	CONSTRAINT "release_parts_org_id_project_id_digest_pk" PRIMARY KEY("org_id","project_id","digest")
);
--> statement-breakpoint
CREATE TABLE "releases" (
	"org_id" uuid NOT NULL,
	"id" text NOT NULL,
	"project_id" text NOT NULL,
	"parent_id" text,
	"operation_id" text NOT NULL,
	"plan_id" text NOT NULL,
	"deployment_id" text NOT NULL,
	"status" text DEFAULT 'staged' NOT NULL,
	"digest" text NOT NULL,
	"manifest_digest" text NOT NULL,
	"static_sha256" text NOT NULL,
	"routes_sha256" text,
	"body" jsonb NOT NULL,
	"site_parts" text[] NOT NULL,
	"file_parts" text[] NOT NULL,
	"actor" jsonb,
	"activated_at" timestamp (3) with time zone,
	"superseded_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "releases_org_id_id_pk" PRIMARY KEY("org_id","id")
);
--> statement-breakpoint
DROP INDEX "content_objects_used_idx";--> statement-breakpoint
ALTER TABLE "content_objects" ADD COLUMN "released" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "deploy_events_operation_idx" ON "deploy_events" USING btree ("org_id","operation_id","position");--> statement-breakpoint
CREATE UNIQUE INDEX "deploy_operations_id_uq" ON "deploy_operations" USING btree ("id","org_id");--> statement-breakpoint
CREATE UNIQUE INDEX "deploy_operations_running_uq" ON "deploy_operations" USING btree ("org_id","project_id") WHERE status in ('committing', 'staging', 'gating', 'migrating', 'schema_settling', 'activating', 'activation_pending');--> statement-breakpoint
CREATE INDEX "deploy_operations_project_idx" ON "deploy_operations" USING btree ("org_id","project_id","created_at","id");--> statement-breakpoint
CREATE INDEX "deploy_plans_again_idx" ON "deploy_plans" USING btree ("org_id","project_id","manifest_digest","request_key");--> statement-breakpoint
CREATE INDEX "deploy_plans_expires_idx" ON "deploy_plans" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "releases_id_uq" ON "releases" USING btree ("id","org_id");--> statement-breakpoint
CREATE UNIQUE INDEX "releases_deployment_uq" ON "releases" USING btree ("deployment_id");--> statement-breakpoint
CREATE INDEX "releases_project_idx" ON "releases" USING btree ("org_id","project_id","created_at","id");--> statement-breakpoint
CREATE INDEX "content_objects_used_idx" ON "content_objects" USING btree ("used_at") WHERE not "content_objects"."released";