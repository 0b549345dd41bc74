/** What mail servers and people give a meaning to. Contract 02, section 6.2. */
const reserved = new Set(
  `abuse postmaster hostmaster webmaster mailer-daemon bounce bounces smtp imap pop mx dkim dmarc noreply no-reply admin info
  support help hello contact sales billing accounts legal privacy security press media jobs careers team ops status api docs
  dashboard svc ceo founder owner finance payroll hr`.split(/\s+/),
);

/** Whether no mailbox may have a slug. */
export const isReservedSlug = (slug: string): boolean => reserved.has(slug);
