import { Badge } from '../../design/badge.tsx';
import type { Asset } from './asset-types.ts';

/** Who may read an asset: everybody, or whoever has a signed address. */
export const VisibilityBadge = ({ of }: { readonly of: Asset }) => (
  <Badge mood={of.visibility === 'PUBLIC' ? 'accent' : 'plain'}>{of.visibility.toLowerCase()}</Badge>
);
