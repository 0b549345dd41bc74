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
ALTER TABLE "vouchers" ADD CONSTRAINT "vouchers_issuer_id_voucher_issuers_id_fk" FOREIGN KEY ("issuer_id") REFERENCES "public"."voucher_issuers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "vouchers" ADD CONSTRAINT "vouchers_redeemed_by_orgs_id_fk" FOREIGN KEY ("redeemed_by") REFERENCES "public"."orgs"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "voucher_issuers_key_uq" ON "voucher_issuers" USING btree ("key_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "voucher_issuers_name_uq" ON "voucher_issuers" USING btree ("name");--> statement-breakpoint
CREATE UNIQUE INDEX "voucher_issuers_public_uq" ON "voucher_issuers" USING btree ((true)) WHERE "voucher_issuers"."public_amount_usd_micros" is not null;--> statement-breakpoint
CREATE INDEX "voucher_issuers_newest_idx" ON "voucher_issuers" USING btree ("created_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "vouchers_code_uq" ON "vouchers" USING btree ("code_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "vouchers_idempotency_uq" ON "vouchers" USING btree ("issuer_id","idempotency_key");--> statement-breakpoint
CREATE INDEX "vouchers_issuer_idx" ON "vouchers" USING btree ("issuer_id","created_at","id");--> statement-breakpoint
CREATE INDEX "vouchers_open_idx" ON "vouchers" USING btree ("issuer_id","expires_at") WHERE redeemed_at is null;--> statement-breakpoint
CREATE INDEX "vouchers_redeemed_idx" ON "vouchers" USING btree ("redeemed_by") WHERE redeemed_by is not null;