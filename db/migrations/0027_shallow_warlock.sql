CREATE TABLE "ai_addons" (
	"project_id" text NOT NULL,
	"addon" text NOT NULL,
	"active" boolean NOT NULL,
	"included_words" integer NOT NULL,
	"used_words" integer DEFAULT 0 NOT NULL,
	"cycle_start" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "ai_addons_project_id_addon_pk" PRIMARY KEY("project_id","addon")
);
--> statement-breakpoint
CREATE TABLE "ai_holds" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" uuid,
	"project_id" text,
	"words" integer,
	"cycle_start" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "ai_holds_expires_idx" ON "ai_holds" USING btree ("expires_at");