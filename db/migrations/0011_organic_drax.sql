CREATE TABLE "acme_accounts" (
	"directory_url" text PRIMARY KEY NOT NULL,
	"sealed_key" "bytea" NOT NULL,
	"account_url" text,
	"paused_until" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "acme_challenges" (
	"token" text PRIMARY KEY NOT NULL,
	"host" text NOT NULL,
	"answer" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "host_certificates" (
	"host" text PRIMARY KEY NOT NULL,
	"chain" text,
	"sealed_key" "bytea",
	"not_after" timestamp (3) with time zone,
	"failures" integer DEFAULT 0 NOT NULL,
	"problem" text,
	"next_order_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"ordered_at" timestamp (3) with time zone,
	"lease_until" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "project_domains" (
	"org_id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"name" text NOT NULL,
	"desired" jsonb NOT NULL,
	"token" text NOT NULL,
	"observed" jsonb,
	"leads_here" boolean DEFAULT false NOT NULL,
	"checked_at" timestamp (3) with time zone,
	"unanswered" boolean DEFAULT false NOT NULL,
	"bound_at" timestamp (3) with time zone,
	"active_at" timestamp (3) with time zone,
	"unproven_since" timestamp (3) with time zone,
	"failure" text,
	"next_check_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "project_domains_org_id_project_id_name_pk" PRIMARY KEY("org_id","project_id","name")
);
--> statement-breakpoint
CREATE INDEX "acme_challenges_expires_idx" ON "acme_challenges" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "host_certificates_due_idx" ON "host_certificates" USING btree ("next_order_at");--> statement-breakpoint
CREATE INDEX "host_certificates_ordered_idx" ON "host_certificates" USING btree ("ordered_at");--> statement-breakpoint
CREATE INDEX "project_domains_due_idx" ON "project_domains" USING btree ("next_check_at");--> statement-breakpoint
CREATE INDEX "project_domains_name_idx" ON "project_domains" USING btree ("name");