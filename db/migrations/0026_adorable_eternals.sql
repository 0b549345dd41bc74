CREATE TABLE "auto_recharges" (
	"org_id" uuid PRIMARY KEY NOT NULL,
	"enabled" boolean DEFAULT false NOT NULL,
	"threshold" bigint,
	"customer_id" text,
	"payment_method_id" text,
	"card_label" text,
	"stopped_because" text,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "checkouts" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" uuid NOT NULL,
	"lane" text NOT NULL,
	"product" text NOT NULL,
	"rail" text NOT NULL,
	"automatic" boolean DEFAULT false NOT NULL,
	"amount_usd_micros" bigint NOT NULL,
	"tier" text,
	"state" text DEFAULT 'creating' NOT NULL,
	"outcome" text,
	"failure" text,
	"success_url" text,
	"cancel_url" text,
	"saves_card" boolean DEFAULT false NOT NULL,
	"checkout_url" text,
	"session_id" text,
	"payment_intent_id" text,
	"amount_sats" bigint,
	"quoted_rate" jsonb,
	"bolt11" text,
	"payment_hash" text,
	"invoice_expires_at" timestamp (3) with time zone,
	"paid_at" timestamp (3) with time zone,
	"credited_entry_id" text,
	"taken_back_usd_micros" bigint DEFAULT 0 NOT NULL,
	"credits_back" bigint DEFAULT 0 NOT NULL,
	"reversals" integer DEFAULT 0 NOT NULL,
	"hints" integer DEFAULT 0 NOT NULL,
	"looks" integer DEFAULT 0 NOT NULL,
	"due_at" timestamp (3) with time zone,
	"lease" text,
	"created_by" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "checkouts_positive" CHECK ("checkouts"."amount_usd_micros" > 0 and "checkouts"."taken_back_usd_micros" >= 0 and "checkouts"."credits_back" >= 0)
);
--> statement-breakpoint
CREATE TABLE "faucet_drips" (
	"id" text PRIMARY KEY NOT NULL,
	"address" text NOT NULL,
	"amount_usd_micros" bigint NOT NULL,
	"state" text DEFAULT 'queued' NOT NULL,
	"failure" text,
	"tx_hash" text,
	"sent_at" timestamp (3) with time zone,
	"attempts" integer DEFAULT 0 NOT NULL,
	"due_at" timestamp (3) with time zone,
	"lease" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "faucet_turns" (
	"subject" text PRIMARY KEY NOT NULL,
	"drip_id" text NOT NULL,
	"taken_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "contract_calls" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"signer_id" text NOT NULL,
	"chain" text NOT NULL,
	"kind" text NOT NULL,
	"idempotency_key" text,
	"intent" text NOT NULL,
	"contract_address" text NOT NULL,
	"function_name" text,
	"data" "bytea" NOT NULL,
	"value_wei" text NOT NULL,
	"max_cost_wei" text NOT NULL,
	"nonce" bigint,
	"attempt" integer DEFAULT 1 NOT NULL,
	"sends" integer DEFAULT 0 NOT NULL,
	"looks" integer DEFAULT 0 NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"error" text,
	"tx_hash" text NOT NULL,
	"block_number" bigint,
	"receipt" jsonb,
	"gas_used" text,
	"gas_cost_wei" text,
	"gas_cost_usd_micros" bigint,
	"strayed_at" timestamp (3) with time zone,
	"due_at" timestamp (3) with time zone DEFAULT now(),
	"lease" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "contract_transactions" (
	"call_id" text NOT NULL,
	"hash" text NOT NULL,
	"raw" "bytea" NOT NULL,
	"max_fee_wei" text NOT NULL,
	"max_priority_fee_wei" text NOT NULL,
	"gas" bigint NOT NULL,
	"is_filler" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "contract_transactions_call_id_hash_pk" PRIMARY KEY("call_id","hash")
);
--> statement-breakpoint
CREATE TABLE "signer_nonces" (
	"signer_id" text PRIMARY KEY NOT NULL,
	"next" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "signers" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"chain" text NOT NULL,
	"address" text NOT NULL,
	"wrapped" "bytea",
	"status" text DEFAULT 'active' NOT NULL,
	"recovery_address" text,
	"threshold_wei" text,
	"balance_wei" text,
	"last_alert_sent_at" timestamp (3) with time zone,
	"last_rent_debited_on" date,
	"suspended_at" timestamp (3) with time zone,
	"deleted_at" timestamp (3) with time zone,
	"scheduled_deletion_at" timestamp (3) with time zone,
	"winding_up" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "voucher_issuers" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"key_hash" text NOT NULL,
	"voucher_max_usd_micros" bigint NOT NULL,
	"outstanding_max_usd_micros" bigint NOT NULL,
	"daily_max_usd_micros" bigint NOT NULL,
	"public_amount_usd_micros" bigint,
	"disabled_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "vouchers" (
	"id" uuid PRIMARY KEY NOT NULL,
	"issuer_id" uuid NOT NULL,
	"code_hash" text NOT NULL,
	"amount_usd_micros" bigint NOT NULL,
	"ref" text,
	"idempotency_key" text,
	"context" jsonb,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"redeemed_by" uuid,
	"redeemed_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "vouchers_positive" CHECK ("vouchers"."amount_usd_micros" > 0)
);
--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD COLUMN "promotional_usd_micros" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "org_balances" ADD COLUMN "promotional_usd_micros" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "org_balances" ADD COLUMN "owed_usd_micros" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "org_balances" ADD COLUMN "email_credits" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "auto_recharges" ADD CONSTRAINT "auto_recharges_org_id_orgs_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."orgs"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "checkouts" ADD CONSTRAINT "checkouts_org_id_orgs_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."orgs"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "vouchers" ADD CONSTRAINT "vouchers_issuer_id_voucher_issuers_id_fk" FOREIGN KEY ("issuer_id") REFERENCES "public"."voucher_issuers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "vouchers" ADD CONSTRAINT "vouchers_redeemed_by_orgs_id_fk" FOREIGN KEY ("redeemed_by") REFERENCES "public"."orgs"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "checkouts_session_uq" ON "checkouts" USING btree ("session_id");--> statement-breakpoint
CREATE UNIQUE INDEX "checkouts_payment_intent_uq" ON "checkouts" USING btree ("payment_intent_id");--> statement-breakpoint
CREATE UNIQUE INDEX "checkouts_payment_hash_uq" ON "checkouts" USING btree ("payment_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "checkouts_automatic_uq" ON "checkouts" USING btree ("org_id") WHERE "checkouts"."automatic" and "checkouts"."state" in ('creating', 'pending');--> statement-breakpoint
CREATE INDEX "checkouts_newest_idx" ON "checkouts" USING btree ("org_id","created_at","id");--> statement-breakpoint
CREATE INDEX "checkouts_due_idx" ON "checkouts" USING btree ("due_at") WHERE "checkouts"."due_at" is not null;--> statement-breakpoint
CREATE INDEX "checkouts_lane_idx" ON "checkouts" USING btree ("lane","due_at") WHERE "checkouts"."due_at" is not null;--> statement-breakpoint
CREATE INDEX "faucet_drips_due_idx" ON "faucet_drips" USING btree ("due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "faucet_drips_lane_idx" ON "faucet_drips" USING btree ("address","due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "faucet_drips_created_idx" ON "faucet_drips" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "faucet_turns_drip_idx" ON "faucet_turns" USING btree ("drip_id");--> statement-breakpoint
CREATE INDEX "faucet_turns_taken_idx" ON "faucet_turns" USING btree ("taken_at");--> statement-breakpoint
CREATE UNIQUE INDEX "contract_calls_key_uq" ON "contract_calls" USING btree ("project_id","kind","idempotency_key");--> statement-breakpoint
CREATE INDEX "contract_calls_due_idx" ON "contract_calls" USING btree ("due_at") WHERE "contract_calls"."due_at" is not null;--> statement-breakpoint
CREATE INDEX "contract_calls_lane_idx" ON "contract_calls" USING btree ("project_id","due_at") WHERE "contract_calls"."due_at" is not null;--> statement-breakpoint
CREATE INDEX "contract_calls_newest_idx" ON "contract_calls" USING btree ("signer_id","created_at","id");--> statement-breakpoint
CREATE INDEX "contract_calls_pending_idx" ON "contract_calls" USING btree ("signer_id","nonce") WHERE "contract_calls"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "signers_project_idx" ON "signers" USING btree ("org_id","project_id","created_at");--> statement-breakpoint
CREATE INDEX "signers_rent_idx" ON "signers" USING btree ("last_rent_debited_on") WHERE "signers"."status" <> 'deleted';--> statement-breakpoint
CREATE INDEX "signers_suspended_idx" ON "signers" USING btree ("suspended_at") WHERE "signers"."status" = 'suspended';--> statement-breakpoint
CREATE INDEX "signers_alert_idx" ON "signers" USING btree ("id") WHERE "signers"."threshold_wei" is not null and "signers"."status" <> 'deleted';--> statement-breakpoint
CREATE INDEX "signers_winding_idx" ON "signers" USING btree ("id") WHERE "signers"."winding_up";--> statement-breakpoint
CREATE INDEX "signers_destroyed_idx" ON "signers" USING btree ("scheduled_deletion_at") WHERE "signers"."wrapped" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "voucher_issuers_key_uq" ON "voucher_issuers" USING btree ("key_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "voucher_issuers_name_uq" ON "voucher_issuers" USING btree ("name");--> statement-breakpoint
CREATE UNIQUE INDEX "voucher_issuers_public_uq" ON "voucher_issuers" USING btree ((true)) WHERE "voucher_issuers"."public_amount_usd_micros" is not null;--> statement-breakpoint
CREATE INDEX "voucher_issuers_newest_idx" ON "voucher_issuers" USING btree ("created_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "vouchers_code_uq" ON "vouchers" USING btree ("code_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "vouchers_idempotency_uq" ON "vouchers" USING btree ("issuer_id","idempotency_key");--> statement-breakpoint
CREATE INDEX "vouchers_issuer_idx" ON "vouchers" USING btree ("issuer_id","created_at","id");--> statement-breakpoint
CREATE INDEX "vouchers_open_idx" ON "vouchers" USING btree ("issuer_id","expires_at") WHERE redeemed_at is null;--> statement-breakpoint
CREATE INDEX "vouchers_redeemed_idx" ON "vouchers" USING btree ("redeemed_by") WHERE redeemed_by is not null;--> statement-breakpoint
ALTER TABLE "org_balances" ADD CONSTRAINT "org_balances_kept" CHECK ("org_balances"."promotional_usd_micros" >= 0 and "org_balances"."owed_usd_micros" >= 0 and "org_balances"."email_credits" >= 0);