ALTER TABLE "payments" ADD COLUMN "project_id" text;--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "routed" jsonb;--> statement-breakpoint
CREATE INDEX "payments_project_idx" ON "payments" USING btree ("project_id","created_at","id") WHERE project_id is not null;