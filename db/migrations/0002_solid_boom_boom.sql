CREATE TABLE "saved_queries" (
	"org_id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"id" uuid NOT NULL,
	"name" text NOT NULL,
	"description" text,
	"sql" text NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"updated_by" text,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "saved_queries_org_id_project_id_id_pk" PRIMARY KEY("org_id","project_id","id")
);
--> statement-breakpoint
CREATE INDEX "saved_queries_newest_idx" ON "saved_queries" USING btree ("org_id","project_id","created_at","id");