CREATE TABLE "mail_recipients" (
	"org_id" uuid NOT NULL,
	"since" timestamp (3) with time zone NOT NULL,
	"mailbox_id" text NOT NULL,
	"address" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "mail_recipients_org_id_since_mailbox_id_address_pk" PRIMARY KEY("org_id","since","mailbox_id","address")
);
--> statement-breakpoint
CREATE TABLE "mail_suppressions" (
	"address" text NOT NULL,
	"scope" text NOT NULL,
	"reason" text NOT NULL,
	"message_id" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "mail_suppressions_address_scope_pk" PRIMARY KEY("address","scope")
);
--> statement-breakpoint
CREATE TABLE "mailbox_attachments" (
	"message_id" text NOT NULL,
	"number" integer NOT NULL,
	"bytes" "bytea" NOT NULL,
	CONSTRAINT "mailbox_attachments_message_id_number_pk" PRIMARY KEY("message_id","number")
);
--> statement-breakpoint
CREATE TABLE "mailbox_messages" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"mailbox_id" text NOT NULL,
	"direction" text NOT NULL,
	"template" text,
	"variables" jsonb,
	"from_address" text NOT NULL,
	"from_name" text,
	"recipient" text NOT NULL,
	"subject" text NOT NULL,
	"body_text" text NOT NULL,
	"body_html" text,
	"attachments" jsonb,
	"in_reply_to_id" text,
	"mail_message_id" text NOT NULL,
	"references" text[] DEFAULT '{}' NOT NULL,
	"status" text NOT NULL,
	"provider" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"lease_until" timestamp (3) with time zone,
	"last_error" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"sent_at" timestamp (3) with time zone,
	"received_at" timestamp (3) with time zone,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "mailboxes" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"slug" text NOT NULL,
	"status" text DEFAULT 'active' NOT NULL,
	"is_default_outbound" boolean DEFAULT false NOT NULL,
	"is_auth_sender" boolean DEFAULT false NOT NULL,
	"footer_policy" text DEFAULT 'svc_transparency' NOT NULL,
	"suspended_reason" text,
	"suspended_at" timestamp (3) with time zone,
	"deleted_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE INDEX "mail_recipients_created_idx" ON "mail_recipients" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "mail_suppressions_scope_idx" ON "mail_suppressions" USING btree ("scope");--> statement-breakpoint
CREATE INDEX "mailbox_messages_newest_idx" ON "mailbox_messages" USING btree ("mailbox_id","created_at","id");--> statement-breakpoint
CREATE INDEX "mailbox_messages_replies_idx" ON "mailbox_messages" USING btree ("in_reply_to_id") WHERE "mailbox_messages"."in_reply_to_id" is not null;--> statement-breakpoint
CREATE INDEX "mailbox_messages_project_idx" ON "mailbox_messages" USING btree ("org_id","project_id");--> statement-breakpoint
CREATE INDEX "mailbox_messages_pending_idx" ON "mailbox_messages" USING btree ("created_at") WHERE "mailbox_messages"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "mailboxes_project_idx" ON "mailboxes" USING btree ("org_id","project_id","created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "mailboxes_slug_uq" ON "mailboxes" USING btree ("project_id","slug") WHERE "mailboxes"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "mailboxes_deleted_idx" ON "mailboxes" USING btree ("deleted_at") WHERE "mailboxes"."deleted_at" is not null;