# Sequential CART synthesis as published (Nowok, Raab and Dibben 2016, JSS 74(11), section 2): the first column by
# sampling with replacement, every other from the leaves of an rpart tree on the columns before it, with the defaults
# given there (minbucket 5, cp 1e-8). Written from the description; the peer of bench/synthetic_trees.py.
#
#   Rscript synthetic_published.R in.csv out.csv seed

library(rpart)

given <- commandArgs(trailingOnly = TRUE)
data <- read.csv(given[1], stringsAsFactors = TRUE, check.names = FALSE)
set.seed(as.integer(given[3]))
names(data) <- paste0("v", seq_along(data))
n <- nrow(data)
made <- data[sample.int(n, n, replace = TRUE), 1, drop = FALSE]
for (j in seq_along(data)[-1]) {
  before <- data[, seq_len(j - 1), drop = FALSE]
  tree <- rpart(
    y ~ ., data = cbind(before, y = data[[j]]), method = if (is.factor(data[[j]])) "class" else "anova",
    minbucket = 5, cp = 1e-8, xval = 0, maxcompete = 0
  )
  leaf <- tree$where
  tree$frame$yval <- seq_len(nrow(tree$frame)) # so that predicting gives the number of the leaf
  ends <- predict(tree, newdata = made, type = "vector")
  members <- split(seq_len(n), leaf)
  drawn <- integer(n)
  for (one in unique(ends)) {
    here <- which(ends == one)
    of <- members[[as.character(one)]]
    drawn[here] <- of[sample.int(length(of), length(here), replace = TRUE)]
  }
  made[[j]] <- data[[j]][drawn]
  names(made)[j] <- names(data)[j]
}
names(made) <- names(read.csv(given[1], nrows = 1, check.names = FALSE))
write.csv(made, given[2], row.names = FALSE)
