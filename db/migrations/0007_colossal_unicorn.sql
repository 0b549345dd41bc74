CREATE TABLE "audit_hosts" (
	"host" text PRIMARY KEY NOT NULL,
	"full_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "audit_hosts_full_idx" ON "audit_hosts" USING btree ("full_at");