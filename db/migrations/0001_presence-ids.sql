DROP INDEX "room_messages_id_uq";--> statement-breakpoint
CREATE UNIQUE INDEX "room_presences_id_uq" ON "room_presences" USING btree ("id","org_id");--> statement-breakpoint
CREATE UNIQUE INDEX "room_messages_id_uq" ON "room_messages" USING btree ("id","org_id");