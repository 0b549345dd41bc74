CREATE TABLE "mail_addresses" (
	"mail_domain" text NOT NULL,
	"local_part" text NOT NULL,
	"org_id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"mailbox_id" text NOT NULL,
	"is_primary" boolean NOT NULL,
	"position" integer NOT NULL,
	"activated_at" timestamp (3) with time zone,
	CONSTRAINT "mail_addresses_mail_domain_local_part_pk" PRIMARY KEY("mail_domain","local_part")
);
--> statement-breakpoint
CREATE TABLE "mail_domains" (
	"name" text PRIMARY KEY NOT NULL,
	"org_id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"domain" text NOT NULL,
	"sends" boolean DEFAULT false NOT NULL,
	"sends_since" timestamp (3) with time zone,
	"receives" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "receive_tests" (
	"id" text NOT NULL,
	"org_id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"domain" text NOT NULL,
	"local_part" text NOT NULL,
	"address" text NOT NULL,
	"mailbox_id" text NOT NULL,
	"target_managed_address" text NOT NULL,
	"token" text NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"mail_id" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"passed_at" timestamp (3) with time zone,
	CONSTRAINT "receive_tests_org_id_project_id_domain_local_part_pk" PRIMARY KEY("org_id","project_id","domain","local_part")
);
--> statement-breakpoint
ALTER TABLE "project_domains" ADD COLUMN "dkim_public_key" text;--> statement-breakpoint
ALTER TABLE "project_domains" ADD COLUMN "sealed_dkim_key" "bytea";--> statement-breakpoint
CREATE INDEX "mail_addresses_mailbox_idx" ON "mail_addresses" USING btree ("mailbox_id");--> statement-breakpoint
CREATE INDEX "mail_addresses_project_idx" ON "mail_addresses" USING btree ("org_id","project_id");--> statement-breakpoint
CREATE UNIQUE INDEX "mail_domains_domain_uq" ON "mail_domains" USING btree ("org_id","project_id","domain");--> statement-breakpoint
CREATE UNIQUE INDEX "receive_tests_token_uq" ON "receive_tests" USING btree ("token");