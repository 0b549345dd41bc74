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
CREATE INDEX "faucet_drips_due_idx" ON "faucet_drips" USING btree ("due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "faucet_drips_lane_idx" ON "faucet_drips" USING btree ("address","due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "faucet_drips_created_idx" ON "faucet_drips" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "faucet_turns_drip_idx" ON "faucet_turns" USING btree ("drip_id");--> statement-breakpoint
CREATE INDEX "faucet_turns_taken_idx" ON "faucet_turns" USING btree ("taken_at");