CREATE TABLE "project_branches" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" uuid NOT NULL,
	"parent_id" text NOT NULL,
	"operation_id" text NOT NULL,
	"name" text NOT NULL,
	"snapshot_id" text NOT NULL,
	"takes_snapshot" boolean NOT NULL,
	"status" text NOT NULL,
	"due_at" timestamp (3) with time zone,
	"lease" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"captured_at" timestamp (3) with time zone,
	"parent_release_id" text,
	"branch_release_id" text,
	"error" jsonb,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "projects" ADD COLUMN "branch" jsonb;--> statement-breakpoint
CREATE INDEX "project_branches_parent_idx" ON "project_branches" USING btree ("parent_id","created_at","id");--> statement-breakpoint
CREATE INDEX "project_branches_due_idx" ON "project_branches" USING btree ("due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "project_branches_lane_idx" ON "project_branches" USING btree ("parent_id","due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "project_branches_expiry_idx" ON "project_branches" USING btree ("expires_at");