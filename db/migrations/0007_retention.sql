DROP INDEX "function_invocations_starts_idx";--> statement-breakpoint
ALTER TABLE "error_releases" ADD COLUMN "noted_at" timestamp (3) with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
CREATE INDEX "daily_counts_day_idx" ON "daily_counts" USING btree ("day");--> statement-breakpoint
CREATE INDEX "function_invocations_minutes_idx" ON "function_invocations" USING btree ("starts_at") WHERE "function_invocations"."span" = 'minute';--> statement-breakpoint
CREATE INDEX "function_invocations_hours_idx" ON "function_invocations" USING btree ("starts_at") WHERE "function_invocations"."span" = 'hour';--> statement-breakpoint
CREATE INDEX "event_keys_messages_idx" ON "event_keys" USING btree ("created_at") WHERE "event_keys"."key" like 'message:%';--> statement-breakpoint
CREATE INDEX "operator_contact_challenges_expires_idx" ON "operator_contact_challenges" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "orgs_purged_idx" ON "orgs" USING btree ("id") WHERE "orgs"."lifecycle_state" = 'purged';