import { Page } from '../parts/page.tsx';
import { Link } from '../router.tsx';

export function NotFound() {
  return (
    <Page title="No such page" lead="Nothing of the console is at this address.">
      <p>
        <Link to="/">Go to the overview</Link>
      </p>
    </Page>
  );
}
