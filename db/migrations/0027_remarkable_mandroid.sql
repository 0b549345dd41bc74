CREATE TABLE "function_mail_triggers" (
	"org_id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"function" text NOT NULL,
	"trigger_id" text NOT NULL,
	"release_id" text NOT NULL,
	"mailbox" text NOT NULL,
	"events" text[] NOT NULL,
	"run" jsonb NOT NULL,
	CONSTRAINT "function_mail_triggers_org_id_project_id_function_trigger_id_pk" PRIMARY KEY("org_id","project_id","function","trigger_id")
);
--> statement-breakpoint
CREATE INDEX "function_mail_triggers_mailbox_idx" ON "function_mail_triggers" USING btree ("project_id","mailbox");