CREATE TABLE "project_restores" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"snapshot_id" text NOT NULL,
	"pre_restore_id" text NOT NULL,
	"with_auth" boolean NOT NULL,
	"confirm_hash" text NOT NULL,
	"status" text NOT NULL,
	"phase" text NOT NULL,
	"due_at" timestamp (3) with time zone,
	"lease" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"old_slot" text NOT NULL,
	"new_slot" text,
	"registry_rows" integer,
	"error" jsonb,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "project_snapshots" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"operation_id" text NOT NULL,
	"kind" text NOT NULL,
	"status" text NOT NULL,
	"due_at" timestamp (3) with time zone,
	"lease" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"manifest_sha256" text,
	"manifest_bytes" bigint,
	"size_bytes" bigint DEFAULT 0 NOT NULL,
	"facts" jsonb,
	"live_release_id" text,
	"captured_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone,
	"error" jsonb,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "snapshot_objects" (
	"snapshot_id" text NOT NULL,
	"sha256" text NOT NULL,
	"size" bigint NOT NULL,
	CONSTRAINT "snapshot_objects_snapshot_id_sha256_pk" PRIMARY KEY("snapshot_id","sha256")
);
--> statement-breakpoint
ALTER TABLE "projects" ADD COLUMN "snapshot_due_at" timestamp (3) with time zone DEFAULT now() + random() * interval '1 day' NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "project_restores_confirm_uq" ON "project_restores" USING btree ("confirm_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "project_restores_running_uq" ON "project_restores" USING btree ("project_id") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "project_restores_due_idx" ON "project_restores" USING btree ("due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "project_restores_lane_idx" ON "project_restores" USING btree ("project_id","due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "project_restores_project_idx" ON "project_restores" USING btree ("project_id","created_at");--> statement-breakpoint
CREATE INDEX "project_snapshots_newest_idx" ON "project_snapshots" USING btree ("project_id","created_at","id");--> statement-breakpoint
CREATE INDEX "project_snapshots_due_idx" ON "project_snapshots" USING btree ("due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "project_snapshots_lane_idx" ON "project_snapshots" USING btree ("project_id","due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "project_snapshots_expiry_idx" ON "project_snapshots" USING btree ("expires_at") WHERE expires_at is not null;--> statement-breakpoint
CREATE INDEX "snapshot_objects_sha256_idx" ON "snapshot_objects" USING btree ("sha256");--> statement-breakpoint
CREATE INDEX "projects_snapshot_due_idx" ON "projects" USING btree ("snapshot_due_at") WHERE "projects"."state" = 'ready' and "projects"."deleted_at" is null;