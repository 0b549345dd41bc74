CREATE INDEX "audit_events_time_idx" ON "audit_events" USING btree ("org_id","occurred_at","seq");--> statement-breakpoint
CREATE INDEX "audit_events_actor_idx" ON "audit_events" USING btree ("org_id",("actor" -> 'principal' ->> 'principal_id'),"seq");--> statement-breakpoint
CREATE INDEX "projects_deleted_idx" ON "projects" USING btree ("deleted_at") WHERE "projects"."deleted_at" is not null;