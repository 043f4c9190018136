import java.io.File;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import org.deidentifier.arx.ARXAnonymizer;
import org.deidentifier.arx.ARXConfiguration;
import org.deidentifier.arx.ARXResult;
import org.deidentifier.arx.Data;
import org.deidentifier.arx.criteria.KAnonymity;
import org.deidentifier.arx.metric.Metric;

/**
 * The searches of ARX by themselves, in a process that is warm: the rows are loaded, the code is compiled.
 *
 * Arguments: as those of Request, with the k parted by commas, the suppression limits likewise, and the number of
 * repetitions in place of the file to write. Prints a line for each limit and k: both, and the median of the
 * milliseconds that ARX names as those of its search.
 */
public final class Searches {

    private static final int WARM = Integer.getInteger("warm", 5);

    private Searches() {
    }

    public static void main(final String[] given) throws Exception {
        final int repetitions = Integer.parseInt(given[4]);
        for (final String limit : given[3].split(",")) {
            for (final String k : given[2].split(",")) {
                final long[] taken = new long[repetitions];
                for (int i = -WARM; i < repetitions; i++) {
                    final long milliseconds = search(given, Integer.parseInt(k), Double.parseDouble(limit));
                    if (i >= 0) {
                        taken[i] = milliseconds;
                    }
                }
                Arrays.sort(taken);
                System.out.println(limit + " " + k + " " + taken[repetitions / 2]);
            }
        }
    }

    /** One search of rows that are loaded anew, as a result locks the data that it is of. */
    private static long search(final String[] given, final int k, final double limit) throws Exception {
        final Data data = Data.create(new File(given[0]), StandardCharsets.UTF_8, given[1].charAt(0));
        Request.define(data.getDefinition(), given);
        final ARXConfiguration asked = ARXConfiguration.create();
        asked.addPrivacyModel(new KAnonymity(k));
        asked.setSuppressionLimit(limit);
        asked.setQualityModel(Metric.createPrecisionMetric(true));
        final ARXResult result = new ARXAnonymizer().anonymize(data, asked);
        if (!result.getOptimumFound()) {
            throw new IllegalStateException("no proven optimum");
        }
        return result.getTime();
    }
}
