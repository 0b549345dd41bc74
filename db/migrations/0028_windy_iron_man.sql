CREATE TABLE "ai_addons" (
	"project_id" text NOT NULL,
	"addon" text NOT NULL,
	"active" boolean NOT NULL,
	"included_words" integer NOT NULL,
	"used_words" integer DEFAULT 0 NOT NULL,
	"cycle_start" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "ai_addons_project_id_addon_pk" PRIMARY KEY("project_id","addon")
);
--> statement-breakpoint
CREATE TABLE "ai_holds" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" uuid,
	"project_id" text,
	"words" integer,
	"cycle_start" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "feedback" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" uuid NOT NULL,
	"principal_id" text NOT NULL,
	"project_id" text,
	"message" text NOT NULL,
	"handle" text,
	"return_address" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "job_artifacts" (
	"job_id" text NOT NULL,
	"filename" text NOT NULL,
	"org_id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"sha256" text NOT NULL,
	"size" bigint NOT NULL,
	"content_type" text NOT NULL,
	CONSTRAINT "job_artifacts_job_id_filename_pk" PRIMARY KEY("job_id","filename")
);
--> statement-breakpoint
CREATE TABLE "job_callbacks" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"url" text NOT NULL,
	"body" text NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"last_status" integer,
	"last_error" text,
	"due_at" timestamp (3) with time zone DEFAULT now(),
	"lease" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "job_logs" (
	"org_id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"position" bigint NOT NULL,
	"job_id" text NOT NULL,
	"attempt" integer NOT NULL,
	"stream" text NOT NULL,
	"message" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "job_logs_org_id_project_id_position_pk" PRIMARY KEY("org_id","project_id","position")
);
--> statement-breakpoint
CREATE TABLE "job_types" (
	"name" text PRIMARY KEY NOT NULL,
	"description" text NOT NULL,
	"project_id" text NOT NULL,
	"function" text NOT NULL,
	"per_job_usd_micros" bigint NOT NULL,
	"per_second_usd_micros" bigint NOT NULL,
	"max_seconds" integer NOT NULL,
	"memory_mb" integer NOT NULL,
	"repeatable" boolean NOT NULL,
	"input_schema" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "managed_jobs" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"type" text NOT NULL,
	"input" jsonb NOT NULL,
	"idempotency_key" text NOT NULL,
	"intent" text NOT NULL,
	"cap_usd_micros" bigint NOT NULL,
	"per_job_usd_micros" bigint NOT NULL,
	"per_second_usd_micros" bigint NOT NULL,
	"status" text DEFAULT 'queued' NOT NULL,
	"error" jsonb,
	"attempt" integer DEFAULT 0 NOT NULL,
	"interrupts" integer DEFAULT 0 NOT NULL,
	"started_at" timestamp (3) with time zone,
	"attempt_started_at" timestamp (3) with time zone,
	"completed_at" timestamp (3) with time zone,
	"wall_ms" bigint,
	"cost_usd_micros" bigint,
	"raw_cost_usd_micros" bigint,
	"billing" text DEFAULT 'held' NOT NULL,
	"callback_url" text,
	"due_at" timestamp (3) with time zone DEFAULT now(),
	"lease" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE INDEX "ai_holds_expires_idx" ON "ai_holds" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "feedback_newest_idx" ON "feedback" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "job_artifacts_sha256_idx" ON "job_artifacts" USING btree ("project_id","sha256");--> statement-breakpoint
CREATE INDEX "job_callbacks_due_idx" ON "job_callbacks" USING btree ("due_at") WHERE "job_callbacks"."due_at" is not null;--> statement-breakpoint
CREATE INDEX "job_callbacks_lane_idx" ON "job_callbacks" USING btree ("project_id","due_at") WHERE "job_callbacks"."due_at" is not null;--> statement-breakpoint
CREATE INDEX "job_callbacks_project_idx" ON "job_callbacks" USING btree ("org_id","project_id");--> statement-breakpoint
CREATE INDEX "job_callbacks_created_idx" ON "job_callbacks" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "job_logs_job_idx" ON "job_logs" USING btree ("org_id","project_id","job_id","position");--> statement-breakpoint
CREATE INDEX "job_logs_created_idx" ON "job_logs" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "managed_jobs_key_uq" ON "managed_jobs" USING btree ("project_id","idempotency_key");--> statement-breakpoint
CREATE INDEX "managed_jobs_due_idx" ON "managed_jobs" USING btree ("due_at") WHERE "managed_jobs"."due_at" is not null;--> statement-breakpoint
CREATE INDEX "managed_jobs_lane_idx" ON "managed_jobs" USING btree ("project_id","due_at") WHERE "managed_jobs"."due_at" is not null;--> statement-breakpoint
CREATE INDEX "managed_jobs_newest_idx" ON "managed_jobs" USING btree ("project_id","created_at","id");--> statement-breakpoint
CREATE INDEX "managed_jobs_completed_idx" ON "managed_jobs" USING btree ("completed_at") WHERE "managed_jobs"."completed_at" is not null;