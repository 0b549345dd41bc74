CREATE TABLE "project_template_versions" (
	"database_name" text PRIMARY KEY NOT NULL,
	"version" integer NOT NULL,
	"tried_at" timestamp (3) with time zone NOT NULL
);
