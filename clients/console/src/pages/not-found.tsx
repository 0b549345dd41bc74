import { Page } from '../design/page.tsx';
import { Link } from '../router.tsx';

export function NotFound() {
  return (
    <Page title="No such page" lead="The console has no page at this address.">
      <p>
        <Link to="/">Go to the overview</Link>
      </p>
    </Page>
  );
}
