// Vitest reporter: names every skipped test with its reason, and closes with one line of counts.
// On CI a skip without a reason fails the run, unless tests were chosen by name.

export default class SkipReport {
  onInit(vitest) {
    this.vitest = vitest;
  }

  onTestRunEnd(modules, errors) {
    const counts = { passed: 0, failed: errors.length, skipped: 0, pending: 0 };
    const skipped = [];
    for (const module of modules) {
      const tests = [...module.children.allTests()];
      // A hook or the file itself failed: no test did, and yet the run is not green.
      if (module.state() === 'failed' && !tests.some((test) => test.result().state === 'failed')) counts.failed += 1;
      for (const test of tests) {
        const result = test.result();
        counts[result.state] += 1;
        if (result.state === 'skipped')
          skipped.push({ name: `${module.relativeModuleId} > ${test.fullName}`, note: result.note });
      }
    }
    if (!this.vitest.config.testNamePattern) this.explain(skipped);
    const skips = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
    process.stdout.write(`tests: ${counts.passed} passed, ${counts.failed} failed${skips}\n`);
  }

  explain(skipped) {
    if (skipped.length === 0) return;
    process.stdout.write('Skipped:\n');
    for (const { name, note } of skipped) process.stdout.write(`  ${name}: ${note ?? 'NO REASON GIVEN'}\n`);
    if (process.env.CI && skipped.some(({ note }) => !note)) {
      process.stdout.write("Every skip needs a reason: use `context.skip('reason')`.\n");
      process.exitCode = 1;
    }
  }
}
