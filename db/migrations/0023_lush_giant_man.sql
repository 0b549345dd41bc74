CREATE TABLE "mailbox_webhook_deliveries" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"mailbox_id" text NOT NULL,
	"webhook_id" text,
	"event_type" text NOT NULL,
	"idempotency_key" text NOT NULL,
	"payload" jsonb NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"last_status" integer,
	"last_error" text,
	"due_at" timestamp (3) with time zone DEFAULT now(),
	"lease" text,
	"delivered_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "mailbox_webhooks" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"mailbox_id" text NOT NULL,
	"url" text NOT NULL,
	"events" text[] NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX "mailbox_webhook_deliveries_key_uq" ON "mailbox_webhook_deliveries" USING btree ("idempotency_key");--> statement-breakpoint
CREATE INDEX "mailbox_webhook_deliveries_due_idx" ON "mailbox_webhook_deliveries" USING btree ("due_at") WHERE "mailbox_webhook_deliveries"."due_at" is not null;--> statement-breakpoint
CREATE INDEX "mailbox_webhook_deliveries_lane_idx" ON "mailbox_webhook_deliveries" USING btree ("project_id","due_at") WHERE "mailbox_webhook_deliveries"."due_at" is not null;--> statement-breakpoint
CREATE INDEX "mailbox_webhook_deliveries_newest_idx" ON "mailbox_webhook_deliveries" USING btree ("mailbox_id","created_at","id");--> statement-breakpoint
CREATE INDEX "mailbox_webhook_deliveries_webhook_idx" ON "mailbox_webhook_deliveries" USING btree ("webhook_id");--> statement-breakpoint
CREATE INDEX "mailbox_webhook_deliveries_created_idx" ON "mailbox_webhook_deliveries" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "mailbox_webhook_deliveries_project_idx" ON "mailbox_webhook_deliveries" USING btree ("org_id","project_id");--> statement-breakpoint
CREATE INDEX "mailbox_webhooks_mailbox_idx" ON "mailbox_webhooks" USING btree ("mailbox_id","created_at");--> statement-breakpoint
CREATE INDEX "mailbox_webhooks_project_idx" ON "mailbox_webhooks" USING btree ("org_id","project_id");