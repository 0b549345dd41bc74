ALTER TABLE "function_logs" ALTER COLUMN "position" DROP IDENTITY;--> statement-breakpoint
ALTER TABLE "function_logs" DROP CONSTRAINT "function_logs_org_id_project_id_position_pk";--> statement-breakpoint
-- Lines become a feed of their project, whose positions have no gaps.
UPDATE "function_logs" SET "position" = "numbered"."place" FROM (
	SELECT "org_id", "project_id", "position",
		row_number() OVER (PARTITION BY "org_id", "project_id" ORDER BY "position") AS "place"
	FROM "function_logs"
) AS "numbered"
WHERE "function_logs"."org_id" = "numbered"."org_id" AND "function_logs"."project_id" = "numbered"."project_id"
	AND "function_logs"."position" = "numbered"."position";--> statement-breakpoint
ALTER TABLE "function_logs" ADD CONSTRAINT "function_logs_org_id_project_id_position_pk" PRIMARY KEY("org_id","project_id","position");--> statement-breakpoint
INSERT INTO "feed_heads" ("org_id", "kind", "feed_id", "position")
SELECT "org_id", 'function_logs', "project_id", max("position") FROM "function_logs" GROUP BY "org_id", "project_id";--> statement-breakpoint
CREATE INDEX "release_functions_age_idx" ON "release_functions" USING btree ("org_id","project_id","name","created_at");
