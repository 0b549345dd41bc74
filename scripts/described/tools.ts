import type { Kind } from './shown.ts';

/** Operations by the name of their tool. Each is on the other surfaces as `docs/surfaces.md` says. */
export const tools: Kind = {
  title: 'Operations and tools',
  about: 'Each is an operation of the gateway, or a tool of `svc mcp` for this machine.',
  shown: [
    {
      test: 'test/projects/create.test.ts',
      says: 'a project comes with everything a client stores of it',
      names: ['provision_postgres_project'],
    },
    {
      test: 'test/project-data/sql-as.test.ts',
      says: 'each statement is answered in its order, with what it is called, how long it took and where it begins',
      names: ['run_sql'],
    },
    {
      test: 'test/mcp/results.test.ts',
      says: 'give its rows to its owner, and to whoever holds its key',
      names: ['rest_query'],
    },
    {
      test: 'test/project-data/expose.test.ts',
      says: 'a manifest is applied as a whole, and answered as it was given',
      names: ['apply_expose', 'get_expose'],
    },
    {
      test: 'test/project-data/validate.test.ts',
      says: 'every finding is told, errors and warnings apart, with its path and severity',
      names: ['validate_manifest'],
    },
    {
      test: 'test/project-data/schema.test.ts',
      says: 'tables are told with their columns, constraints, estimates and policies, and nothing else is',
      names: ['get_schema'],
    },
    {
      test: 'test/project-data/schema.test.ts',
      says: 'a user is made an admin and is one no more, by path and graph, however often it is said',
      names: ['promote_user', 'demote_user'],
    },
    {
      test: 'test/projects/usage.test.ts',
      says: 'a service key reads what its project uses, its own calls among it from the first',
      names: ['get_usage'],
    },
    {
      test: 'test/projects/delete.test.ts',
      says: 'an owner deletes a project: its database and role are gone, and it is for everybody as if it never was',
      names: ['delete_project'],
    },
    {
      test: 'test/cli/assets.full.test.ts',
      says: 'a file is published under a key, listed, signed, read back and deleted',
      names: ['assets_put', 'assets_get', 'assets_ls', 'assets_rm', 'assets_sign', 'wait_for_cdn_freshness'],
    },
    {
      test: 'test/assets/assets.test.ts',
      says: 'an address is diagnosed by its owner alone',
      names: ['diagnose_public_url'],
    },
    {
      test: 'test/mcp/deploy.test.ts',
      says: 'makes the files of one call the whole site, and has it live when it answers',
      names: ['deploy_site'],
    },
    {
      test: 'test/mcp/deploy.test.ts',
      says: 'runs migrations and publishes files and assets of one call',
      names: ['deploy'],
    },
    { test: 'test/mcp/stdio.full.test.ts', names: ['deploy_site_dir'] },
    {
      test: 'test/hosts/subdomains.test.ts',
      says: 'a claimed name is listed and serves its project at once, until it is given up',
      names: ['claim_subdomain', 'list_subdomains', 'delete_subdomain'],
    },
    {
      test: 'test/hosts/mail-domains.test.ts',
      says: 'where the present mail server forwards, a mail that arrives is the proof',
      names: ['domains_test_receive'],
    },
    {
      test: 'test/hosts/mail-domains.test.ts',
      says: 'addresses that are activated by hand take tests alone before that',
      names: ['domains_activate'],
    },
    {
      test: 'test/hosts/domains.test.ts',
      says: 'a domain is connected, proven, bound and served, and no longer once it is disconnected',
      names: ['domains_ensure', 'domains_get', 'domains_list', 'domains_check', 'domains_disconnect'],
    },
    {
      test: 'test/hosts/domains.test.ts',
      says: 'to apply does what a check does, since records are their owner’s',
      names: ['domains_apply'],
    },
    {
      test: 'test/hosts/domain-owners.test.ts',
      says: 'whoever sets the records of a domain may give it to another project',
      names: ['domains_repair'],
    },
    {
      test: 'test/snapshots/snapshots.test.ts',
      says: 'what is absent, not ready, foreign or outdated is refused with its code',
      names: ['delete_project_snapshot'],
    },
    {
      test: 'test/deploys/deploy.test.ts',
      says: 'a site goes live, and goes back',
      names: ['deploy_events', 'deploy_release_active', 'deploy_release_get'],
    },
    {
      test: 'test/deploys/deploy.test.ts',
      says: 'the list of deploys tells those of a status or a kind alone, page by page',
      names: ['deploy_list'],
    },
    {
      test: 'test/deploys/committing.full.test.ts',
      says: 'releases are compared',
      names: ['deploy_release_diff'],
    },
    {
      test: 'test/deploys/faults.full.test.ts',
      says: 'a release that cannot go live waits after its migrations, and goes live when it is resumed',
      names: ['deploy_resume'],
    },
    {
      test: 'test/rehearsals/rehearsals.test.ts',
      says: 'a plan that goes well passes on a branch with the rows of the project, which stays as it is, and is committed then',
      names: ['deploy_rehearse'],
    },
    {
      test: 'test/hosting/edge.full.test.ts',
      says: 'a release that is live is everywhere, as each node sees it',
      names: ['deploy_verify_edge'],
    },
    {
      test: 'test/hosting/diagnose.test.ts',
      says: 'an answer is explained',
      names: ['deploy_diagnose_url'],
    },
    {
      test: 'test/snapshots/snapshots.test.ts',
      says: 'a snapshot is taken while the project is used, and a confirmed restore brings it back',
      names: ['create_project_snapshot', 'list_project_snapshots', 'get_project_snapshot', 'restore_project_snapshot'],
    },
    {
      test: 'test/branches/branches.test.ts',
      says: 'a branch is a whole project of its own: rows, release and keys, and nothing of it is seen by search engines',
      names: ['create_project_branch', 'list_project_branches', 'renew_project_branch', 'delete_project_branch'],
    },
    {
      test: 'test/archives/archives.test.ts',
      says: 'a project is carried from one gateway to another, deploys there, and is the same archive again',
      names: ['export_project_archive', 'inspect_project_archive', 'verify_project_archive', 'import_project_archive'],
    },
    {
      test: 'test/ci/ci.test.ts',
      says: 'a workflow deploys by the token that CI gave it, within the scopes that a wallet has signed',
      names: ['ci_create_binding', 'ci_list_bindings', 'ci_get_binding'],
    },
    {
      test: 'test/ci/ci.test.ts',
      says: 'a revoked binding ends its sessions at once, and a token is refused with what is wrong',
      names: ['ci_revoke_binding'],
    },
    {
      test: 'test/functions/deploy-one.test.ts',
      says: 'a tool deploys the code of its call, and tells what cannot be built',
      names: ['deploy_function'],
    },
    {
      test: 'test/functions/changes.test.ts',
      says: 'whoever may have functions run calls one without a key of the project, and is told all of its answer',
      names: ['invoke_function'],
    },
    {
      test: 'test/functions/reads.full.test.ts',
      says: 'what a call has printed is there when the next request asks for it, oldest first, and found by the call',
      names: ['get_function_logs'],
    },
    {
      test: 'test/functions/changes.test.ts',
      says: 'limits and schedule change at once, by a release that says who made it',
      names: ['update_function'],
    },
    {
      test: 'test/functions/changes.test.ts',
      says: 'functions are built anew by those who own them, with the versions they have',
      names: ['functions_rebuild'],
    },
    {
      test: 'test/functions/changes.test.ts',
      says: 'a deleted function answers nobody, has no schedule, and stays gone with the next deploy',
      names: ['delete_function'],
    },
    {
      test: 'test/functions/reads.full.test.ts',
      says: 'the functions of the live release are told, with where they are called',
      names: ['list_functions'],
    },
    {
      test: 'test/functions/runs.test.ts',
      says: 'a run is made, has the function called with what it is about, and succeeds',
      names: ['create_function_run', 'get_function_run', 'get_function_run_logs'],
    },
    {
      test: 'test/functions/runs.test.ts',
      says: 'runs are listed newest first, and page by page',
      names: ['list_function_runs'],
    },
    {
      test: 'test/functions/runs.test.ts',
      says: 'a run that waits, and one under way, are cancelled; the late outcome changes nothing',
      names: ['cancel_function_run'],
    },
    {
      test: 'test/functions/runs.test.ts',
      says: 'a run that failed is driven again, with all of its attempts; one that has not ended stays as it is',
      names: ['redrive_function_run'],
    },
    {
      test: 'test/secrets/secrets.test.ts',
      says: 'a secret is set, listed without its value, replaced and deleted',
      names: ['set_secret', 'list_secrets', 'delete_secret'],
    },
    {
      test: 'test/jobs/jobs.test.ts',
      says: 'a job is done: its cap is held, its price captured, its log and its artifact are there',
      names: ['jobs_submit', 'jobs_get', 'jobs_logs'],
    },
    {
      test: 'test/jobs/jobs.test.ts',
      says: 'a job that is cancelled costs what it has used, and never more than its cap',
      names: ['jobs_cancel'],
    },
    {
      test: 'test/jobs/jobs.test.ts',
      says: 'a purge cancels what has not ended, and leaves nothing of any job but its money',
      names: ['jobs_purge'],
    },
    {
      test: 'test/auth/mail.test.ts',
      says: 'a link signs a first-time address in, once however many try at once, and verifies it',
      names: ['request_magic_link', 'verify_magic_link'],
    },
    {
      test: 'test/auth/manage.test.ts',
      says: 'the service key and who manages the project make a user with a password, and nobody else does',
      names: ['create_auth_user', 'invite_auth_user'],
    },
    {
      test: 'test/auth/passwords.test.ts',
      says: 'a password is changed by who knows it, by POST and PUT, and ends the other sessions',
      names: ['set_user_password'],
    },
    {
      test: 'test/auth/manage.test.ts',
      says: 'settings begin as documented, are changed one by one, and domains are put in order',
      names: ['auth_settings'],
    },
    {
      test: 'test/auth/passkeys/ceremonies.test.ts',
      says: 'a passkey is registered for the host of the app, and signs its user in',
      names: [
        'passkey_register_options',
        'passkey_register_verify',
        'passkey_login_options',
        'passkey_login_verify',
        'list_passkeys',
      ],
    },
    { test: 'test/mcp/results.test.ts', names: ['delete_passkey'] },
    {
      test: 'test/mailboxes/mailboxes.test.ts',
      says: 'a mailbox has an address of its project, and the first one sends what names none',
      names: ['create_mailbox', 'get_mailbox', 'list_mailboxes'],
    },
    {
      test: 'test/mailboxes/mailboxes.test.ts',
      says: 'the footer can be left out from the tier hobby on, and is back when the tier ends',
      names: ['update_mailbox'],
    },
    {
      test: 'test/mailboxes/mailboxes.test.ts',
      says: 'a deleted mailbox takes its mail along, is no default any more, and its address rests for 30 days',
      names: ['delete_mailbox'],
    },
    {
      test: 'test/mailboxes/mailboxes.test.ts',
      says: 'defaults name mailboxes of the project that send, or none',
      names: ['set_mailbox_defaults'],
    },
    {
      test: 'test/mailboxes/sending.full.test.ts',
      says: 'a mail is kept, sent from the address of its mailbox, and then shown as sent',
      names: ['send_email', 'get_email'],
    },
    {
      test: 'test/mailboxes/sending.full.test.ts',
      says: 'pages of mail go on where they ended, in one direction where that is asked',
      names: ['list_emails'],
    },
    {
      test: 'test/mailboxes/receiving.test.ts',
      says: 'an answer is kept under the mail that it answers, byte for byte, once, and no other mail is taken',
      names: ['get_email_raw'],
    },
    {
      test: 'test/mailboxes/webhooks.test.ts',
      says: 'webhooks are listed, changed and deleted, and their addresses lie in the public internet',
      names: [
        'register_mailbox_webhook',
        'list_mailbox_webhooks',
        'get_mailbox_webhook',
        'update_mailbox_webhook',
        'delete_mailbox_webhook',
      ],
    },
    {
      test: 'test/mailboxes/webhooks.test.ts',
      says: 'an answer other than 2xx is a failure that is tried again, eight times, and then until somebody sends it again',
      names: ['list_mailbox_webhook_deliveries', 'redrive_mailbox_webhook_delivery'],
    },
    {
      test: 'test/ai/image.test.ts',
      says: 'an image is paid from the balance of the project’s organization',
      names: ['generate_image'],
    },
    {
      test: 'test/ai/translate.test.ts',
      says: 'a text is translated, and its words count',
      names: ['ai_translate', 'ai_usage'],
    },
    {
      test: 'test/ai/moderate.test.ts',
      says: 'a text is judged in every way that the model knows, for nothing and without an add-on',
      names: ['ai_moderate'],
    },
    {
      test: 'test/apps/apps.test.ts',
      says: 'a fork has the schema, the functions and the site of what was published, and neither rows nor secrets',
      names: ['browse_apps', 'get_app', 'fork_app', 'publish_app', 'list_versions', 'update_version', 'delete_version'],
    },
    {
      test: 'test/tiers/set-tier.test.ts',
      says: 'a paid tier is taken from the balance, renewed from the end of its lease, and raised with a refund',
      names: ['set_tier'],
    },
    {
      test: 'test/tiers/status.test.ts',
      says: 'a wallet sees its tier, its lease and what its projects use together',
      names: ['tier_status'],
    },
    {
      test: 'test/tiers/tiers.test.ts',
      says: 'the quote is the same list with prices that are bare numbers',
      names: ['get_quote'],
    },
    {
      test: 'test/billing/linked-wallets.test.ts',
      says: 'a mail address has one organization, whoever asks and however it is written',
      names: ['create_email_organization'],
    },
    {
      test: 'test/billing/linked-wallets.test.ts',
      says: 'a wallet is linked by its own signature or by the platform admin, and to nothing that is others’',
      names: ['link_wallet_to_organization'],
    },
    {
      test: 'test/billing/read.test.ts',
      says: 'the history is read newest first in pages that neither repeat nor leave out, twenty entries unless told',
      names: ['billing_history'],
    },
    {
      test: 'test/billing/read.test.ts',
      says: 'a wallet looks up its own organization in any letter case, and the admin looks up any',
      names: ['check_balance'],
    },
    {
      test: 'test/checkouts/products.test.ts',
      says: 'auto-recharge buys a pack from the balance where that covers it',
      names: ['set_auto_recharge'],
    },
    {
      test: 'test/checkouts/card-topup.test.ts',
      says: 'a payment by card is credited once, whatever tells of it',
      names: ['create_checkout'],
    },
    {
      test: 'test/signers/money.test.ts',
      says: 'a signer takes a balance of 30 days of rent, which promotional credit is no part of',
      names: ['provision_signer', 'get_signer', 'list_signers'],
    },
    {
      test: 'test/signers/money.test.ts',
      says: 'after 90 days of suspension a signer is drained to its recovery address, and deleted',
      names: ['set_recovery_address'],
    },
    {
      test: 'test/signers/money.test.ts',
      says: 'a low balance is told once in 24 hours',
      names: ['set_low_balance_alert'],
    },
    {
      test: 'test/signers/calls.test.ts',
      says: 'a call is signed, sent, paid for once and confirmed by its receipt',
      names: ['contract_call', 'get_contract_call_status'],
    },
    {
      test: 'test/signers/calls.test.ts',
      says: 'a contract is made at the address that is told at once',
      names: ['contract_deploy'],
    },
    {
      test: 'test/signers/calls.test.ts',
      says: 'a read needs no credential, and its large integers are texts',
      names: ['contract_read'],
    },
    {
      test: 'test/signers/money.test.ts',
      says: 'a drain leaves nothing, costs no fee, and has to be confirmed',
      names: ['drain_signer'],
    },
    {
      test: 'test/signers/money.test.ts',
      says: 'a signer that holds something is not deleted; one that does not loses its key after seven days',
      names: ['delete_signer'],
    },
    {
      test: 'test/cli/first-steps.test.ts',
      says: 'a terminal makes a wallet, an organization and a project, asks its database, and talks to another terminal',
      names: ['init', 'status'],
    },
    {
      test: 'test/mcp/stdio.full.test.ts',
      names: ['allowance_status', 'allowance_create', 'allowance_export', 'project_use'],
    },
    {
      test: 'test/faucet/faucet.test.ts',
      says: 'a wallet gets a quarter of a dollar of test money, once a day',
      names: ['request_faucet'],
    },
    {
      test: 'test/vouchers/vouchers.test.ts',
      says: 'a voucher is worth its amount once, however often its organization redeems it',
      names: ['redeem_voucher'],
    },
    {
      test: 'test/projects/read.test.ts',
      says: 'the list tells the same of a project as the project itself, in either form of its id',
      names: ['list_projects', 'project_info'],
    },
    {
      test: 'test/projects/read.test.ts',
      says: 'keys, which may do what an owner may, are for owners alone, and for a session with a fresh passkey',
      names: ['project_keys'],
    },
    {
      test: 'test/projects/rename.test.ts',
      says: 'an owner renames a project, and everything that shows it shows the new name',
      names: ['rename_project'],
    },
    {
      test: 'test/feedback/feedback.test.ts',
      says: 'what a member says reaches whoever runs the platform, and nobody else',
      names: ['send_feedback'],
    },
    {
      test: 'test/escalations/operator-contact.test.ts',
      says: 'a contact is named, mailed, and verified by the link, step by step',
      names: ['set_agent_contact', 'get_agent_contact_status', 'verify_agent_contact_email'],
    },
    {
      test: 'test/escalations/operator-contact.test.ts',
      says: 'a passkey wants a verified address first, and is asked for by a mailed link',
      names: ['start_operator_passkey_enrollment'],
    },
    {
      test: 'test/notices/chats.test.ts',
      says: 'a chat is connected by whoever first says its code, and hears what a rule says, once',
      names: ['list_notification_channels', 'create_notification_rule'],
    },
    {
      test: 'test/notices/chats.test.ts',
      says: 'rules are changed, rest, match nothing by an empty list, and end with their chat',
      names: ['list_notification_rules', 'delete_notification_rule'],
    },
    {
      test: 'test/notices/notices.test.ts',
      says: 'a test says what came of it, once a minute',
      names: ['test_notification'],
    },
    {
      test: 'test/transfers/transfers.test.ts',
      says: 'a project goes to the wallet that accepts it, with all that is in it, and nobody who had it before keeps a key',
      names: ['initiate_project_transfer', 'accept_project_transfer'],
    },
    {
      test: 'test/transfers/transfers.test.ts',
      says: 'whoever has proven a mail address claims what it is offered, and decides whether the sender stays',
      names: ['claim_project_transfer'],
    },
  ],
  left: [],
};
