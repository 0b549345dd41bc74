CREATE TABLE "audit_hosts" (
	"host" text PRIMARY KEY NOT NULL,
	"full_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "chain_senders" (
	"chain_id" bigint NOT NULL,
	"sender" text NOT NULL,
	"next_nonce" bigint,
	CONSTRAINT "chain_senders_chain_id_sender_pk" PRIMARY KEY("chain_id","sender")
);
--> statement-breakpoint
CREATE TABLE "payments" (
	"id" text PRIMARY KEY NOT NULL,
	"state" text NOT NULL,
	"sku" text NOT NULL,
	"operation" text NOT NULL,
	"request_digest" text NOT NULL,
	"network" text NOT NULL,
	"chain_id" bigint NOT NULL,
	"asset" text NOT NULL,
	"payer" text NOT NULL,
	"pay_to" text NOT NULL,
	"amount" numeric(78, 0) NOT NULL,
	"version" integer NOT NULL,
	"nonce" text,
	"digest" text,
	"presented" "bytea",
	"valid_before" timestamp (3) with time zone,
	"identifier" text,
	"lease_token" text,
	"lease_until" timestamp (3) with time zone,
	"tx_hash" text,
	"log_index" integer,
	"principal_id" text,
	"org_id" uuid,
	"outcome" "bytea",
	"last_error" text,
	"part_of" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"settled_at" timestamp (3) with time zone,
	"delivered_at" timestamp (3) with time zone,
	"reconciled_at" timestamp (3) with time zone
);
--> statement-breakpoint
DROP INDEX "room_invites_open_idx";--> statement-breakpoint
ALTER TABLE "room_invites" ADD COLUMN "claimed_by" text;--> statement-breakpoint
ALTER TABLE "room_invites" ADD COLUMN "claimed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "room_invites" ADD COLUMN "payment_id" text;--> statement-breakpoint
CREATE INDEX "audit_hosts_full_idx" ON "audit_hosts" USING btree ("full_at");--> statement-breakpoint
CREATE UNIQUE INDEX "payments_nonce_uq" ON "payments" USING btree ("chain_id","asset","payer","nonce");--> statement-breakpoint
CREATE UNIQUE INDEX "payments_transfer_uq" ON "payments" USING btree ("chain_id","tx_hash","log_index");--> statement-breakpoint
CREATE UNIQUE INDEX "payments_identifier_uq" ON "payments" USING btree ("identifier") WHERE identifier is not null;--> statement-breakpoint
CREATE INDEX "payments_open_idx" ON "payments" USING btree ("created_at") WHERE state <> 'delivered';--> statement-breakpoint
CREATE INDEX "payments_outcome_idx" ON "payments" USING btree ("created_at") WHERE outcome is not null or identifier is not null;--> statement-breakpoint
CREATE INDEX "payments_org_idx" ON "payments" USING btree ("org_id","created_at") WHERE org_id is not null;--> statement-breakpoint
CREATE INDEX "room_invites_open_idx" ON "room_invites" USING btree ("org_id","room_key","expires_at") WHERE revoked_at is null and claimed_at is null;