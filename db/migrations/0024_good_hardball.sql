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
CREATE TABLE "ci_bindings" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"delegate_id" uuid NOT NULL,
	"issuer" text NOT NULL,
	"subject_match" text NOT NULL,
	"allowed_events" text[] NOT NULL,
	"route_scopes" text[] NOT NULL,
	"asset_key_scopes" text[] DEFAULT '{}' NOT NULL,
	"github_repository_id" text,
	"nonce" text NOT NULL,
	"created_sig" jsonb,
	"created_by" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	"last_used_at" timestamp (3) with time zone,
	"use_count" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE "projects" ADD COLUMN "branch" jsonb;--> statement-breakpoint
CREATE INDEX "project_branches_parent_idx" ON "project_branches" USING btree ("parent_id","created_at","id");--> statement-breakpoint
CREATE INDEX "project_branches_due_idx" ON "project_branches" USING btree ("due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "project_branches_lane_idx" ON "project_branches" USING btree ("parent_id","due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "project_branches_expiry_idx" ON "project_branches" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "ci_bindings_nonce_uq" ON "ci_bindings" USING btree ("nonce");--> statement-breakpoint
CREATE INDEX "ci_bindings_project_idx" ON "ci_bindings" USING btree ("project_id","created_at","id");--> statement-breakpoint
CREATE INDEX "ci_bindings_delegate_idx" ON "ci_bindings" USING btree ("delegate_id");