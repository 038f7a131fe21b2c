import { expect, test } from 'vitest';
import { InputQueue } from './input.ts';

function makeQueue(isOpen = true) {
  const sent: (number | 'end')[] = [];
  const queue = new InputQueue(
    isOpen,
    (bytes) => sent.push(bytes.length),
    () => sent.push('end'),
  );
  return { queue, sent, total: () => sent.reduce<number>((sum, each) => sum + (each === 'end' ? 0 : each), 0) };
}

test('at most one window is in flight, and the rest follows as bytes are taken', async () => {
  const { queue, sent, total } = makeQueue();
  const written = queue.write(Buffer.alloc(3 << 20));
  queue.end();
  expect(total()).toBe(1 << 20);
  queue.take(1 << 19);
  expect(total()).toBe((1 << 20) + (1 << 19));
  queue.take(1 << 20);
  queue.take(1 << 20);
  expect([total(), sent.at(-1)]).toEqual([3 << 20, 'end']);
  queue.take(1 << 19);
  expect(await written).toBe(true);
  expect(sent.filter((each) => each === 'end')).toEqual(['end']);
});

test('writes resolve in order, each when all of it was taken', async () => {
  const { queue } = makeQueue();
  const answers: string[] = [];
  const [one, two] = [queue.write(Buffer.alloc(10)), queue.write(Buffer.alloc(5))];
  one.then(() => answers.push('one'));
  two.then((isTaken) => answers.push(`two ${isTaken}`));
  queue.take(12);
  await one;
  expect(answers).toEqual(['one']);
  queue.close();
  await two;
  expect(answers).toEqual(['one', 'two false']);
});

test('nothing is written to a closed or ending input', async () => {
  const { queue, sent } = makeQueue();
  queue.end();
  queue.end();
  expect(await queue.write(Buffer.from('x'))).toBe(false);
  expect(sent).toEqual(['end']);
  const closed = makeQueue(false);
  expect(await closed.queue.write(Buffer.from('x'))).toBe(false);
  closed.queue.end();
  expect(closed.sent).toEqual([]);
});
