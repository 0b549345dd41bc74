CREATE TABLE "backup_jobs" (
	"id" text PRIMARY KEY NOT NULL,
	"state" text DEFAULT 'running' NOT NULL,
	"started_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"seen_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"step" text,
	"progress" double precision,
	"run" text,
	"missing" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"error" text,
	CONSTRAINT "backup_jobs_ended" CHECK (("backup_jobs"."state" = 'running') = ("backup_jobs"."ended_at" is null))
);
--> statement-breakpoint
CREATE TABLE "gateway_nodes" (
	"id" text PRIMARY KEY NOT NULL,
	"host" text NOT NULL,
	"pid" integer NOT NULL,
	"version" text NOT NULL,
	"url" text NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"seen_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"lag_ms" double precision NOT NULL,
	"rss_bytes" bigint NOT NULL,
	"heap_bytes" bigint NOT NULL,
	"pool_total" integer NOT NULL,
	"pool_idle" integer NOT NULL,
	"pool_waiting" integer NOT NULL,
	"sockets" integer NOT NULL,
	"subscriptions" integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX "backup_jobs_newest_idx" ON "backup_jobs" USING btree ("started_at");--> statement-breakpoint
CREATE UNIQUE INDEX "backup_jobs_running_uq" ON "backup_jobs" USING btree ("state") WHERE "backup_jobs"."state" = 'running';--> statement-breakpoint
CREATE INDEX "gateway_nodes_seen_idx" ON "gateway_nodes" USING btree ("seen_at");--> statement-breakpoint
CREATE INDEX "platform_incidents_newest_idx" ON "platform_incidents" USING btree ("started_at","id");--> statement-breakpoint
CREATE INDEX "orgs_newest_idx" ON "orgs" USING btree ("created_at","id");