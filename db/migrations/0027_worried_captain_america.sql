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
ALTER TABLE "auto_recharges" ADD CONSTRAINT "auto_recharges_org_id_orgs_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."orgs"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "checkouts" ADD CONSTRAINT "checkouts_org_id_orgs_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."orgs"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "checkouts_session_uq" ON "checkouts" USING btree ("session_id");--> statement-breakpoint
CREATE UNIQUE INDEX "checkouts_payment_intent_uq" ON "checkouts" USING btree ("payment_intent_id");--> statement-breakpoint
CREATE UNIQUE INDEX "checkouts_payment_hash_uq" ON "checkouts" USING btree ("payment_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "checkouts_automatic_uq" ON "checkouts" USING btree ("org_id") WHERE "checkouts"."automatic" and "checkouts"."state" in ('creating', 'pending');--> statement-breakpoint
CREATE INDEX "checkouts_newest_idx" ON "checkouts" USING btree ("org_id","created_at","id");--> statement-breakpoint
CREATE INDEX "checkouts_due_idx" ON "checkouts" USING btree ("due_at") WHERE "checkouts"."due_at" is not null;--> statement-breakpoint
CREATE INDEX "checkouts_lane_idx" ON "checkouts" USING btree ("lane","due_at") WHERE "checkouts"."due_at" is not null;