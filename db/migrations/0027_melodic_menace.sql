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
CREATE INDEX "signers_destroyed_idx" ON "signers" USING btree ("scheduled_deletion_at") WHERE "signers"."wrapped" is not null;