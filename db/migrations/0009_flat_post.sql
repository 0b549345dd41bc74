CREATE TABLE "subdomains" (
	"name" text PRIMARY KEY NOT NULL,
	"org_id" uuid NOT NULL,
	"project_id" text,
	"deployment_id" text,
	"rests_until" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "subdomains_rests" CHECK (("subdomains"."project_id" is null) = ("subdomains"."rests_until" is not null))
);
--> statement-breakpoint
CREATE INDEX "subdomains_project_idx" ON "subdomains" USING btree ("org_id","project_id");--> statement-breakpoint
CREATE INDEX "subdomains_rests_idx" ON "subdomains" USING btree ("rests_until") WHERE "subdomains"."rests_until" is not null;