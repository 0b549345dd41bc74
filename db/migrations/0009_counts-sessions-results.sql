CREATE TABLE "error_counts" (
	"org_id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"fingerprint_id" text NOT NULL,
	"function" text NOT NULL,
	"starts_at" timestamp (3) with time zone NOT NULL,
	"count" bigint NOT NULL,
	CONSTRAINT "error_counts_org_id_project_id_fingerprint_id_function_starts_at_pk" PRIMARY KEY("org_id","project_id","fingerprint_id","function","starts_at")
);
--> statement-breakpoint
CREATE TABLE "kept_results" (
	"ref" text PRIMARY KEY NOT NULL,
	"owner" text NOT NULL,
	"items" text NOT NULL,
	"bytes" integer NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "device_flows" ADD COLUMN "proven_by" text[];
--> statement-breakpoint
ALTER TABLE "loopback_flows" ADD COLUMN "proven_by" text[];
--> statement-breakpoint
ALTER TABLE "error_projects" ADD COLUMN "gone_at" timestamp (3) with time zone;
--> statement-breakpoint
CREATE INDEX "error_counts_starts_idx" ON "error_counts" USING btree ("starts_at");
--> statement-breakpoint
CREATE INDEX "kept_results_owner_idx" ON "kept_results" USING btree ("owner");
--> statement-breakpoint
CREATE INDEX "kept_results_expiry_idx" ON "kept_results" USING btree ("expires_at");
--> statement-breakpoint
CREATE INDEX "error_projects_gone_idx" ON "error_projects" USING btree ("gone_at") WHERE "error_projects"."gone_at" is not null;
--> statement-breakpoint
-- By hand: the failures of projects that were deleted before are erased as well.
INSERT INTO "error_projects" ("org_id", "project_id", "gone_at") SELECT "org_id", "id", now() FROM "projects" WHERE "deleted_at" IS NOT NULL
ON CONFLICT ("org_id", "project_id") DO UPDATE SET "gone_at" = excluded."gone_at";
--> statement-breakpoint
-- Last, since who signs in waits from here to the end.
ALTER TABLE "sessions" ADD COLUMN "last_used_at" timestamp (3) with time zone DEFAULT now() NOT NULL;
--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "proven_by" text[];
--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "client" text;
