CREATE TABLE "project_transfers" (
	"id" uuid PRIMARY KEY NOT NULL,
	"org_id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"project_name" text NOT NULL,
	"recipient_kind" text NOT NULL,
	"recipient" text NOT NULL,
	"from_wallet" text,
	"message" text,
	"retained_principal_id" text,
	"initiated_by" jsonb NOT NULL,
	"contents" jsonb NOT NULL,
	"terms_sha256" text NOT NULL,
	"state" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"cancelled_by" text,
	"cancellation_reason" text,
	"to_org_id" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "projects" ADD COLUMN "transfer_id" uuid;--> statement-breakpoint
ALTER TABLE "projects" ADD COLUMN "transferred_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE UNIQUE INDEX "project_transfers_pending_uq" ON "project_transfers" USING btree ("project_id") WHERE "project_transfers"."state" = 'pending';--> statement-breakpoint
CREATE INDEX "project_transfers_recipient_idx" ON "project_transfers" USING btree ("recipient_kind","recipient","created_at","id") WHERE "project_transfers"."state" = 'pending';--> statement-breakpoint
CREATE INDEX "project_transfers_sender_idx" ON "project_transfers" USING btree ("org_id","created_at","id") WHERE "project_transfers"."state" = 'pending';--> statement-breakpoint
CREATE INDEX "project_transfers_expiry_idx" ON "project_transfers" USING btree ("expires_at") WHERE "project_transfers"."state" = 'pending';--> statement-breakpoint
CREATE INDEX "project_transfers_ended_idx" ON "project_transfers" USING btree ("ended_at");