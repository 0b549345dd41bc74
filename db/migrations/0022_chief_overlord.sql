ALTER TABLE "mailbox_messages" ADD COLUMN "provider_message_id" text;--> statement-breakpoint
ALTER TABLE "mailbox_messages" ADD COLUMN "raw_sha256" text;--> statement-breakpoint
ALTER TABLE "mailbox_messages" ADD COLUMN "raw_size" integer;--> statement-breakpoint
ALTER TABLE "mailbox_messages" ADD COLUMN "is_automatic" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "mailbox_messages" ADD COLUMN "authentication" jsonb;--> statement-breakpoint
ALTER TABLE "mailbox_messages" ADD COLUMN "bounce_type" text;--> statement-breakpoint
ALTER TABLE "mailbox_messages" ADD COLUMN "bounced_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "mailbox_messages_mail_id_idx" ON "mailbox_messages" USING btree ("mail_message_id") WHERE "mailbox_messages"."direction" = 'outbound';--> statement-breakpoint
CREATE INDEX "mailbox_messages_provider_id_idx" ON "mailbox_messages" USING btree ("provider_message_id") WHERE "mailbox_messages"."provider_message_id" is not null;--> statement-breakpoint
CREATE INDEX "mailbox_messages_recipient_idx" ON "mailbox_messages" USING btree ("mailbox_id",lower("recipient"),"created_at") WHERE "mailbox_messages"."direction" = 'outbound';--> statement-breakpoint
CREATE UNIQUE INDEX "mailbox_messages_raw_uq" ON "mailbox_messages" USING btree ("raw_sha256","mailbox_id") WHERE "mailbox_messages"."raw_sha256" is not null;--> statement-breakpoint
CREATE INDEX "mailbox_messages_bounced_idx" ON "mailbox_messages" USING btree ("mailbox_id","bounced_at") WHERE "mailbox_messages"."bounced_at" is not null;