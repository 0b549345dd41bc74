CREATE TABLE "host_names" (
	"name" text PRIMARY KEY NOT NULL,
	"org_id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "live_connections" (
	"project_id" text NOT NULL,
	"node_id" text NOT NULL,
	"count" integer NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "live_connections_project_id_node_id_pk" PRIMARY KEY("project_id","node_id")
);
--> statement-breakpoint
CREATE TABLE "live_projects" (
	"project_id" text PRIMARY KEY NOT NULL
);
--> statement-breakpoint
ALTER TABLE "projects" ADD COLUMN "template_version" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "projects" ADD COLUMN "template_tried_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "host_names_project_idx" ON "host_names" USING btree ("org_id","project_id");--> statement-breakpoint
CREATE INDEX "live_connections_node_idx" ON "live_connections" USING btree ("node_id");--> statement-breakpoint
CREATE INDEX "live_connections_expiry_idx" ON "live_connections" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "mail_outbox_test_idx" ON "mail_outbox" USING btree ("recipient","created_at" DESC NULLS LAST) WHERE "mail_outbox"."recipient" like '%.invalid';--> statement-breakpoint
CREATE UNIQUE INDEX "projects_public_id_uq" ON "projects" USING btree ("public_id");--> statement-breakpoint
CREATE INDEX "projects_template_version_idx" ON "projects" USING btree ("template_version","id") WHERE "projects"."state" = 'ready' and "projects"."deleted_at" is null;