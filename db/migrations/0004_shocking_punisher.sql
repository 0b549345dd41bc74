CREATE TABLE "project_metrics" (
	"org_id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"span" text NOT NULL,
	"starts_at" timestamp (3) with time zone NOT NULL,
	"requests" integer NOT NULL,
	"client_errors" integer NOT NULL,
	"server_errors" integer NOT NULL,
	"latency" integer[] NOT NULL,
	"connections" integer NOT NULL,
	"storage_bytes" bigint,
	"unlogged" integer NOT NULL,
	CONSTRAINT "project_metrics_org_id_project_id_span_starts_at_pk" PRIMARY KEY("org_id","project_id","span","starts_at")
);
--> statement-breakpoint
CREATE TABLE "project_requests" (
	"org_id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"seq" bigint GENERATED ALWAYS AS IDENTITY (sequence name "project_requests_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"request_id" text NOT NULL,
	"method" text NOT NULL,
	"route" text NOT NULL,
	"path" text NOT NULL,
	"status" integer NOT NULL,
	"duration_us" integer NOT NULL,
	"code" text,
	"caller" text,
	"bytes" integer,
	CONSTRAINT "project_requests_org_id_project_id_at_seq_pk" PRIMARY KEY("org_id","project_id","at","seq")
);
--> statement-breakpoint
CREATE INDEX "project_metrics_minutes_idx" ON "project_metrics" USING btree ("starts_at") WHERE "project_metrics"."span" = 'minute';--> statement-breakpoint
CREATE INDEX "project_metrics_hours_idx" ON "project_metrics" USING btree ("starts_at") WHERE "project_metrics"."span" = 'hour';--> statement-breakpoint
CREATE INDEX "project_requests_failures_idx" ON "project_requests" USING btree ("org_id","project_id","at","seq") WHERE "project_requests"."status" >= 400;--> statement-breakpoint
CREATE INDEX "project_requests_at_idx" ON "project_requests" USING btree ("at");