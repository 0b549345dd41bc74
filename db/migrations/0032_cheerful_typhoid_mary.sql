CREATE TABLE "project_credentials" (
	"org_id" uuid NOT NULL,
	"id" text NOT NULL,
	"project_id" text NOT NULL,
	"kind" text NOT NULL,
	"name" text NOT NULL,
	"replacement_of" text,
	"expires_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	"revoked_reason" text,
	"last_used_at" timestamp (3) with time zone,
	"created_by" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "project_credentials_org_id_id_pk" PRIMARY KEY("org_id","id")
);
--> statement-breakpoint
CREATE INDEX "project_credentials_id_idx" ON "project_credentials" USING btree ("id");--> statement-breakpoint
CREATE UNIQUE INDEX "project_credentials_name_uq" ON "project_credentials" USING btree ("org_id","project_id","name") WHERE "project_credentials"."revoked_at" is null;--> statement-breakpoint
CREATE INDEX "project_credentials_newest_idx" ON "project_credentials" USING btree ("org_id","project_id","created_at","id");--> statement-breakpoint
CREATE INDEX "project_credentials_revoked_idx" ON "project_credentials" USING btree ("revoked_at") WHERE "project_credentials"."revoked_at" is not null;