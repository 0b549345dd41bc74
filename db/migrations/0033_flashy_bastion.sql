CREATE TABLE "deploy_rehearsals" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"plan_id" text NOT NULL,
	"branch_id" text NOT NULL,
	"branch_plan_id" text,
	"branch_operation_id" text,
	"teardown" text NOT NULL,
	"migrations" jsonb NOT NULL,
	"due_at" timestamp (3) with time zone,
	"lease" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"report" jsonb,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX "deploy_rehearsals_running_uq" ON "deploy_rehearsals" USING btree ("plan_id") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "deploy_rehearsals_project_idx" ON "deploy_rehearsals" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "deploy_rehearsals_due_idx" ON "deploy_rehearsals" USING btree ("due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "deploy_rehearsals_lane_idx" ON "deploy_rehearsals" USING btree ("project_id","due_at") WHERE due_at is not null;