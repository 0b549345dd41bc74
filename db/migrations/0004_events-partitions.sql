-- Written by hand, since drizzle cannot declare partitions; db/partitioned/events.ts has the types of the columns. The
-- partitions by month are made and dropped by db/event-partitions.ts.
CREATE TABLE "events" (
	"org_id" uuid NOT NULL,
	"position" bigint NOT NULL,
	"project_id" text,
	"type" text NOT NULL,
	"class" text NOT NULL,
	"source" text NOT NULL,
	"payload" json NOT NULL,
	"occurred_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"kept_days" smallint NOT NULL,
	CONSTRAINT "events_pk" PRIMARY KEY("org_id","position","kept_days","occurred_at")
) PARTITION BY LIST ("kept_days");
--> statement-breakpoint
CREATE TABLE "events_90" PARTITION OF "events" FOR VALUES IN (90) PARTITION BY RANGE ("occurred_at");
--> statement-breakpoint
CREATE TABLE "events_365" PARTITION OF "events" FOR VALUES IN (365) PARTITION BY RANGE ("occurred_at");
--> statement-breakpoint
CREATE INDEX "events_of_project_idx" ON "events" USING btree ("org_id","project_id","source","position");--> statement-breakpoint
CREATE INDEX "events_of_project_type_idx" ON "events" USING btree ("org_id","project_id","type","position");--> statement-breakpoint
CREATE INDEX "events_source_idx" ON "events" USING btree ("org_id","source","position");--> statement-breakpoint
CREATE INDEX "events_type_idx" ON "events" USING btree ("org_id","type","position");
