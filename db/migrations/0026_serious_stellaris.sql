ALTER TABLE "ledger_entries" ADD COLUMN "promotional_usd_micros" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "org_balances" ADD COLUMN "promotional_usd_micros" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "org_balances" ADD COLUMN "owed_usd_micros" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "org_balances" ADD COLUMN "email_credits" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "org_balances" ADD CONSTRAINT "org_balances_kept" CHECK ("org_balances"."promotional_usd_micros" >= 0 and "org_balances"."owed_usd_micros" >= 0 and "org_balances"."email_credits" >= 0);