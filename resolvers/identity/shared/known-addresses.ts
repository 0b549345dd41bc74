/** The wallet that a principal was first known by, as a subquery: one row or none. @param principal SQL of its id */
export const firstWallet = (principal: string) => `select public_subject from authenticators
      where principal_id = ${principal} and kind = 'wallet' and revoked_at is null order by created_at limit 1`;

/** Joins the verified mail addresses `a` of members `m`. */
export const joinVerifiedMail = `join authenticators a on a.principal_id = m.principal_id
      and a.kind = 'email' and a.verified_at is not null and a.revoked_at is null`;
