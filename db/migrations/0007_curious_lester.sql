CREATE TABLE "a2a_tasks" (
	"id" text PRIMARY KEY NOT NULL,
	"first_message" text NOT NULL,
	"last_message" text NOT NULL,
	"state" text NOT NULL,
	"body" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "a2a_tasks_first_message_unique" UNIQUE("first_message")
);
--> statement-breakpoint
CREATE TABLE "webhook_jobs" (
	"key" text PRIMARY KEY NOT NULL,
	"job_id" text NOT NULL,
	"callback_url" text,
	"answer" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "a2a_tasks_expiry_idx" ON "a2a_tasks" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "webhook_jobs_expiry_idx" ON "webhook_jobs" USING btree ("expires_at");