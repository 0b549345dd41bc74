import { Badge } from '../../design/badge.tsx';
import { When } from '../../design/when.tsx';

interface EndProps {
  readonly of: { readonly revokedAt: string | null; readonly expiresAt: string | null };
}

/** When a grant or a delegate ends, or how it ended. */
export function End({ of: { revokedAt, expiresAt } }: EndProps) {
  if (revokedAt !== null) return <Badge>revoked</Badge>;
  if (expiresAt === null) return <span className="small quiet">never</span>;
  return Date.parse(expiresAt) <= Date.now() ? <Badge>expired</Badge> : <When at={expiresAt} />;
}
