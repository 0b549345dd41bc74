DROP INDEX "escalations_newest_idx";--> statement-breakpoint
DROP INDEX "escalations_raiser_idx";--> statement-breakpoint
DROP INDEX "mail_outbox_newest_idx";--> statement-breakpoint
DROP INDEX "mail_outbox_test_idx";--> statement-breakpoint
DROP INDEX "projects_newest_idx";--> statement-breakpoint
CREATE INDEX "escalations_status_idx" ON "escalations" USING btree ("org_id","status","created_at","id");--> statement-breakpoint
CREATE INDEX "escalations_newest_idx" ON "escalations" USING btree ("org_id","created_at","id");--> statement-breakpoint
CREATE INDEX "escalations_raiser_idx" ON "escalations" USING btree ("raised_by","org_id","created_at","id");--> statement-breakpoint
CREATE INDEX "mail_outbox_newest_idx" ON "mail_outbox" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "mail_outbox_test_idx" ON "mail_outbox" USING btree ("recipient","created_at") WHERE "mail_outbox"."recipient" like '%.invalid';--> statement-breakpoint
CREATE INDEX "projects_newest_idx" ON "projects" USING btree ("org_id","created_at","id");