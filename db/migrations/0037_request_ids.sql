ALTER TABLE "mailbox_messages" ADD COLUMN "request_id" text;--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD COLUMN "request_id" text;--> statement-breakpoint
ALTER TABLE "project_requests" ADD COLUMN "caused_by" text;--> statement-breakpoint
CREATE INDEX "mailbox_messages_request_idx" ON "mailbox_messages" USING btree ("mailbox_id","request_id") WHERE "mailbox_messages"."request_id" is not null;--> statement-breakpoint
CREATE INDEX "ledger_entries_request_idx" ON "ledger_entries" USING btree ("org_id","request_id") WHERE "ledger_entries"."request_id" is not null;