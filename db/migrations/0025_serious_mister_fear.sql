ALTER TABLE "function_invocations" ADD COLUMN "failed" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "function_invocations" ADD COLUMN "latency" integer[] DEFAULT '{}' NOT NULL;