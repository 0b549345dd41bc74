CREATE TABLE "function_runs" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"function" text NOT NULL,
	"event_type" text NOT NULL,
	"source" jsonb NOT NULL,
	"source_type" text NOT NULL,
	"idempotency_key" text NOT NULL,
	"intent" text NOT NULL,
	"payload" jsonb NOT NULL,
	"max_attempts" integer NOT NULL,
	"min_delay_seconds" integer NOT NULL,
	"max_delay_seconds" integer NOT NULL,
	"status" text NOT NULL,
	"generation" integer DEFAULT 1 NOT NULL,
	"run_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"due_at" timestamp (3) with time zone,
	"lease" text,
	"attempt" integer DEFAULT 0 NOT NULL,
	"attempts_total" integer DEFAULT 0 NOT NULL,
	"attempt_id" text,
	"attempt_started_at" timestamp (3) with time zone,
	"attempt_completed_at" timestamp (3) with time zone,
	"attempt_status" integer,
	"attempt_error" jsonb,
	"last_error" jsonb,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"completed_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "function_schedules" (
	"org_id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"function" text NOT NULL,
	"trigger_id" text NOT NULL,
	"release_id" text NOT NULL,
	"cron" text NOT NULL,
	"timezone" text NOT NULL,
	"run" jsonb NOT NULL,
	"next_at" timestamp (3) with time zone,
	"last_run_at" timestamp (3) with time zone,
	"last_run_id" text,
	"run_count" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "function_schedules_org_id_project_id_function_trigger_id_pk" PRIMARY KEY("org_id","project_id","function","trigger_id")
);
--> statement-breakpoint
CREATE UNIQUE INDEX "function_runs_key_uq" ON "function_runs" USING btree ("org_id","project_id","function","source_type","idempotency_key");--> statement-breakpoint
CREATE INDEX "function_runs_newest_idx" ON "function_runs" USING btree ("project_id","function","created_at","id");--> statement-breakpoint
CREATE INDEX "function_runs_due_idx" ON "function_runs" USING btree ("due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "function_runs_lane_idx" ON "function_runs" USING btree ("project_id","due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "function_runs_completed_idx" ON "function_runs" USING btree ("completed_at") WHERE completed_at is not null;--> statement-breakpoint
CREATE INDEX "function_schedules_next_idx" ON "function_schedules" USING btree ("next_at");