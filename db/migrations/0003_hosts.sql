CREATE TABLE "host_names" (
	"name" text PRIMARY KEY NOT NULL,
	"org_id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE INDEX "host_names_project_idx" ON "host_names" USING btree ("org_id","project_id");--> statement-breakpoint
CREATE INDEX "mail_outbox_test_idx" ON "mail_outbox" USING btree ("recipient","created_at" DESC NULLS LAST) WHERE "mail_outbox"."recipient" like '%.invalid';--> statement-breakpoint
CREATE UNIQUE INDEX "projects_public_id_uq" ON "projects" USING btree ("public_id");