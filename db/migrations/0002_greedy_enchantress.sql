CREATE TABLE "live_connections" (
	"project_id" text NOT NULL,
	"node_id" text NOT NULL,
	"count" integer NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "live_connections_project_id_node_id_pk" PRIMARY KEY("project_id","node_id")
);
--> statement-breakpoint
CREATE TABLE "live_projects" (
	"project_id" text PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE INDEX "live_connections_node_idx" ON "live_connections" USING btree ("node_id");--> statement-breakpoint
CREATE INDEX "live_connections_expiry_idx" ON "live_connections" USING btree ("expires_at");