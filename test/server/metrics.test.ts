import { expect, test } from 'vitest';
import { createMetrics } from '../../server/metrics.ts';

test('what happened is on the page', async () => {
  const metrics = createMetrics({ processMetrics: false });
  metrics.httpRequest({ route: '/orgs/v1/:org_id', method: 'GET', status: 200 }, 0.02);
  metrics.operation({ operation: 'orgs.get', code: 'OK' }, 0.01);
  metrics.operation({ operation: 'orgs.get', code: 'NOT_AUTHORIZED' }, 0.01);
  metrics.statementSent();
  metrics.jobRan({ task: 'mail.send', outcome: 'failed' });
  metrics.watchPool(() => ({ total: 7, idle: 5, waiting: 1 }));
  metrics.watchFeedFollowers(() => 3);
  const page = await metrics.render();
  for (const line of [
    'http_requests_total{route="/orgs/v1/:org_id",method="GET",status="200"} 1',
    'http_request_duration_seconds_bucket{le="0.025",route="/orgs/v1/:org_id",method="GET",status="200"} 1',
    'operations_total{operation="orgs.get",code="OK"} 1',
    'operations_total{operation="orgs.get",code="NOT_AUTHORIZED"} 1',
    'operation_duration_seconds_count{operation="orgs.get"} 2',
    'db_statements_total 1',
    'jobs_total{task="mail.send",outcome="failed"} 1',
    'db_pool_total 7',
    'db_pool_idle 5',
    'db_pool_waiting 1',
    'feed_followers 3',
  ]) {
    expect(page.split('\n')).toContain(line);
  }
  expect(metrics.contentType).toContain('text/plain');
});

test('a socket that closes twice is counted out once', async () => {
  const metrics = createMetrics({ processMetrics: false });
  const close = metrics.socketOpened();
  metrics.socketOpened();
  close();
  close();
  metrics.subscriptionStarted();
  metrics.subscriptionStarted();
  metrics.subscriptionEnded();
  const lines = (await metrics.render()).split('\n');
  expect(lines).toContain('sockets_open 1');
  expect(lines).toContain('subscriptions_open 1');
});

test('an invented method makes no series of its own', async () => {
  const metrics = createMetrics({ processMetrics: false });
  for (const method of ['BREW', 'FETCH']) metrics.httpRequest({ route: 'none', method, status: 405 }, 0);
  const page = await metrics.render();
  expect(page).toContain('http_requests_total{route="none",method="OTHER",status="405"} 2');
  expect(page).not.toContain('BREW');
});

test('two sets in one process do not meet', async () => {
  const [one, two] = [createMetrics(), createMetrics()];
  one.statementSent();
  expect(await one.render()).toContain('process_cpu_user_seconds_total');
  expect((await two.render()).split('\n')).toContain('db_statements_total 0');
});
